import { createRequire } from "node:module";
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

/** What this package imports of the SDK beside `@sentry/nextjs`, which names one version for all. */
const parts = ["@sentry/browser", "@sentry/browser-utils", "@sentry/core", "sentry-scopes"];

const require = createRequire(import.meta.url);

/**
 * What is wrong where the parts of Sentry's SDK are of several versions, as after an update of one: each
 * version keeps scopes of its own, so users and tags would be lost without a word.
 *
 * @param versionOf an installed package
 */
export function unequalParts(
  versionOf = (name: string): string => require(`${name}/package.json`).version,
): string | undefined {
  const wanted = versionOf("@sentry/nextjs");
  const others = parts.filter((name) => versionOf(name) !== wanted);
  if (others.length === 0) return undefined;
  const found = others.map((name) => `${name} ${versionOf(name)}`).join(", ");
  return `@sentry/nextjs ${wanted} is installed beside ${found}: all must be of one version. "A new version of Next or Sentry" in the README of @signpost/sentry says how.`;
}
