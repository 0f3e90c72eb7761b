// biome-ignore-all lint/style/noDefaultExport: as Next wants it
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { browserModules } from "../../../lib/navigation/next/modules.ts";

const root = join(import.meta.dirname, "../../..");

/** Files of ours are named from this app's folder. */
const resolveAlias = Object.fromEntries(
  Object.entries(browserModules).map(([name, { browser }]) => [
    name,
    { browser: browser.replace(/^\.\/lib\//, "../../../lib/") },
  ]),
);

/** The private or experimental settings that Signpost's next.config.js uses, in the smallest app. */
/** @type {import("next").NextConfig} */
const config = {
  basePath: "/base",
  deploymentId: "contract-deployment",
  generateBuildId: () => "contract-build",
  i18n: { locales: ["en", "de"], defaultLocale: "en", localeDetection: false },
  outputFileTracingRoot: root,
  turbopack: { root, resolveAlias },
  productionBrowserSourceMaps: true,
  compiler: {
    // What is there at that moment.
    async runAfterProductionCompile({ distDir }) {
      copyFileSync(
        join(distDir, "server/pages-manifest.json"),
        join(distDir, "compiled-pages.json"),
      );
    },
  },
  rewrites: async () => [
    { source: "/elsewhere/:path*", destination: "https://elsewhere.example/:path*" },
  ],
  experimental: {
    isrFlushToDisk: false,
    clientRouterFilter: false,
    validateRSCRequestHeaders: false,
  },
};

export default config;
