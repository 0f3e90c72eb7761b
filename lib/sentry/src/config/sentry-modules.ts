/**
 * What other packages import of Sentry in the browser: our functions, which also work before the SDK is
 * loaded. For `turbopack.resolveAlias`.
 */
export const sentryModules: Record<string, { browser: string }> = {
  "@sentry/nextjs": { browser: "@signpost/sentry" },
  "@sentry/react": { browser: "@signpost/sentry" },
};
