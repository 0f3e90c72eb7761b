import { join } from "node:path";

/**
 * What other packages import of Sentry in the browser: our functions, which also work before the SDK is
 * loaded.
 */
const replaced = ["@sentry/nextjs", "@sentry/react"];

/** For `turbopack.resolveAlias`. It looks for the name from the app's folder, whichever package imports it. */
export const sentryModules: Record<string, { browser: string }> = Object.fromEntries(
  replaced.map((name) => [name, { browser: "@signpost/sentry" }]),
);

/**
 * For webpack's `resolve.alias` in the browser: `$` leaves what is below the name as it is. A whole path, as
 * webpack looks for a name from the file that imports it: a package of a monorepo need not have ours.
 */
export const webpackAliases: Record<string, string> = Object.fromEntries(
  replaced.map((name) => [`${name}$`, join(import.meta.dirname, "..", "index.browser.js")]),
);
