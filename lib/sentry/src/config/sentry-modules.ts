/**
 * What other packages import of Sentry in the browser: our functions, which also work before the SDK is
 * loaded.
 */
const replaced = ["@sentry/nextjs", "@sentry/react"];

/** For `turbopack.resolveAlias`. */
export const sentryModules: Record<string, { browser: string }> = Object.fromEntries(
  replaced.map((name) => [name, { browser: "@signpost/sentry" }]),
);

/** For webpack's `resolve.alias` in the browser: `$` leaves what is below the name as it is. */
export const webpackAliases: Record<string, string> = Object.fromEntries(
  replaced.map((name) => [`${name}$`, "@signpost/sentry"]),
);
