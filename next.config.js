import {
  PHASE_DEVELOPMENT_SERVER,
  PHASE_PRODUCTION_BUILD,
  PHASE_PRODUCTION_SERVER,
} from "next/constants.js";
import { builtBasePath, keepDeploymentId, readBuildConfig } from "./lib/config/build.js";
import { browserModules, dynamicModules } from "./lib/config/next-modules.js";
import { withSourceMaps } from "./lib/config/source-maps.js";
import { apiRedirects } from "./lib/http/api-redirects.js";
import { headerRules } from "./lib/http/headers.js";
import { defaultLocale, locales } from "./lib/messages/locales.js";
import { apiRoutes } from "./lib/routes/table.js";

/**
 * @param {string} phase
 * @returns {Promise<import("next").NextConfig>}
 */
export default async function config(phase) {
  const serving = phase === PHASE_PRODUCTION_SERVER;
  const build = readBuildConfig(process.env, apiRoutes);
  const basePath = serving ? builtBasePath() : build.basePath;
  const deploymentId = serving ? keepDeploymentId() : build.deploymentId;
  /** @type {import("next").NextConfig} */
  const config = {
    basePath,
    env: { NEXT_PUBLIC_BASE_PATH: basePath, NEXT_PUBLIC_TUNNEL: build.tunnel },
    deploymentId,
    // With a deployment id, Next would call all builds the same, and each release with them.
    generateBuildId: deploymentId ? () => deploymentId : undefined,
    i18n: { locales: [...locales], defaultLocale, localeDetection: false },
    // `next start` serves the build in place and warns of this setting, which is for the build only.
    output: serving ? undefined : "standalone",
    outputFileTracingRoot: import.meta.dirname,
    turbopack: {
      root: import.meta.dirname,
      resolveAlias: {
        ...dynamicModules,
        ...(phase === PHASE_PRODUCTION_BUILD && browserModules),
      },
    },
    // Bundled, zod leaves no module to wait for at run time, and the browser no code for waiting.
    transpilePackages: ["zod"],
    poweredByHeader: false,
    reactStrictMode: true,
    redirects: () => apiRedirects(locales.filter((locale) => locale !== defaultLocale)),
    headers: () => headerRules(phase === PHASE_DEVELOPMENT_SERVER),
    // Seconds for which an incremental page's HTML may be shown at all; Next's own bound is a year.
    expireTime: 300,
    // No page uses `next/image` so far: until one does, nobody has files fetched and converted here,
    // and what would do it, two fifths of the standalone output, stays out of that.
    images: { localPatterns: [] },
    outputFileTracingExcludes: { "**": ["node_modules/sharp/**", "node_modules/@img/**"] },
    experimental: {
      // Any slug makes an incremental page: on disk they would pile up for ever, whoever asks for
      // them. In memory, Next keeps the 50 MB used last.
      isrFlushToDisk: false,
      // Next keeps scroll positions by history entry; lib/navigation/scroll.ts adds what it misses.
      scrollRestoration: true,
      // Hovering a `next/link` would ask again for data that is still fresh.
      optimisticClientCache: false,
      // Looks for routes of an app/ folder, which there is none of.
      clientRouterFilter: false,
      // Would answer such requests with a redirect; there are no server components to protect.
      validateRSCRequestHeaders: false,
    },
  };
  return phase === PHASE_PRODUCTION_BUILD ? withSourceMaps(config, build) : config;
}
