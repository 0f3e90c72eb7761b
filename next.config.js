import { readdirSync } from "node:fs";
import {
  PHASE_DEVELOPMENT_SERVER,
  PHASE_PRODUCTION_BUILD,
  PHASE_PRODUCTION_SERVER,
} from "next/constants.js";
import { refuseOldNode } from "./lib/server/node-version.cjs";

refuseOldNode();
// Node itself reads these, and one that is too old can't: hence not before.
const { withSentryConfig } = await import("@signpost/sentry/config");
const { builtBasePath, keepDeploymentId, readBuildConfig } = await import("./lib/config.ts");
const { browserModules, dynamicModules } = await import("./lib/navigation/next/modules.ts");
const { defaultLocale, hasLocalePrefixes, locales } = await import("./lib/messages/locales.ts");
const { headerRules } = await import("./lib/policy/headers.ts");

// A build makes no network call.
process.env.NEXT_TELEMETRY_DISABLED = "1";

/**
 * @param {string} phase
 * @returns {Promise<import("next").NextConfig>}
 */
export default async function config(phase) {
  const serving = phase === PHASE_PRODUCTION_SERVER;
  // A folder that only the build needs.
  const apiFiles = serving ? [] : readdirSync(`${import.meta.dirname}/pages/api`);
  const apiNames = apiFiles.map((name) => name.replace(/\..*/, ""));
  const build = readBuildConfig(process.env, apiNames);
  const basePath = serving ? builtBasePath() : build.basePath;
  const deploymentId = serving ? keepDeploymentId() : build.deploymentId;
  /** @type {import("next").NextConfig} */
  const config = {
    basePath,
    env: {
      NEXT_PUBLIC_BASE_PATH: basePath,
      NEXT_PUBLIC_TUNNEL: build.tunnel,
      SITE_ORIGIN: build.siteOrigin ?? "",
    },
    deploymentId,
    // With a deployment id, Next gives every build the same id, and so every release.
    generateBuildId: deploymentId ? () => deploymentId : undefined,
    i18n: hasLocalePrefixes ? { locales, defaultLocale, localeDetection: false } : undefined,
    // Only the build needs this. `next start` would warn about it.
    output: serving ? undefined : "standalone",
    outputFileTracingRoot: import.meta.dirname,
    turbopack: {
      root: import.meta.dirname,
      resolveAlias: {
        ...dynamicModules,
        ...(phase === PHASE_PRODUCTION_BUILD && browserModules),
      },
    },
    webpack() {
      throw new Error(
        "Build without --webpack: webpack adds styles inline, which the content security policy blocks. Turbopack does not.",
      );
    },
    // The build checks what it is made of; `npm run check` checks the tests too.
    typescript: { tsconfigPath: "tsconfig.build.json" },
    // Bundles zod into the pages. Otherwise every page that uses it becomes an asynchronous module,
    // in the browser too.
    transpilePackages: ["zod"],
    poweredByHeader: false,
    reactStrictMode: true,
    redirects: apiRedirects,
    headers: () => headerRules(phase === PHASE_DEVELOPMENT_SERVER),
    // Seconds after which an incremental page's HTML may no longer be shown. Next's default is a year.
    expireTime: 300,
    // No page needs images converted yet. The library for it, two fifths of the standalone output,
    // is left out, and an image that needs it fails the build. Without these two settings, it works.
    images: { loader: "custom", loaderFile: "./lib/policy/image-loader.ts" },
    outputFileTracingExcludes: { "**": ["node_modules/sharp/**", "node_modules/@img/**"] },
    experimental: {
      // Every slug is a page, so anybody could fill the disk. In memory, Next keeps the 50 MB that
      // were used last.
      isrFlushToDisk: false,
      // A filter for the routes of an app/ folder. There is none.
      clientRouterFilter: false,
      // Otherwise Next redirects requests with the headers of server components. There are none.
      validateRSCRequestHeaders: false,
    },
  };
  return withSentryConfig(config, { tunnelRoute: `/api/${build.tunnel}` });
}

/**
 * An API address with a locale prefix leads to the API: otherwise Next answers it with the page for
 * unknown addresses. Next itself adds the prefix of the default locale to each address that has none,
 * before it looks at these rules.
 */
async function apiRedirects() {
  const others = locales.filter((locale) => locale !== defaultLocale);
  if (others.length === 0) return [];
  return [
    {
      source: `/:locale(${others.join("|")})/api/:path*`,
      locale: /** @type {const} */ (false),
      destination: "/api/:path*",
      permanent: false,
    },
  ];
}
