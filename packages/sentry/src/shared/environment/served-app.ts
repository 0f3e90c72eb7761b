import { readFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import type { App } from "../routes/location.ts";

/** What a server knows of the app that it serves: Next's configuration and its build say it. */
export interface ServedApp extends Omit<App, "patterns"> {
  /** The app's, where next.config is: absolute. It need not be the one that the server was started in. */
  folder: string;
  /** Next's folder of the build: absolute. */
  distDir: string;
  /** Below which the server has the files of the build: the base path, or the path of `assetPrefix`. */
  assetPath: string;
  /** Where browsers send their reports: with the base path. */
  tunnelPath: string;
}

/** The part of Next's configuration that is read. */
interface Configuration {
  basePath?: string;
  assetPrefix?: string;
  distDir?: string;
  i18n?: { defaultLocale: string; locales: readonly string[] } | null;
  env?: Record<string, string | undefined>;
}

const key = Symbol.for("signpost.app");
const noted = globalThis as { [key]?: Configuration };

/** For `withSentryConfig`, which Next runs in the process that serves, before anything else. */
export function noteConfiguration(configuration: Configuration): void {
  noted[key] = configuration;
}

/** The standalone server has Next's configuration as a variable, and runs no next.config. */
export function servedApp(): ServedApp {
  const configuration = noted[key] ?? standalone() ?? {};
  const { basePath = "", assetPrefix, distDir = ".next", i18n, env } = configuration;
  const folder = appFolder(distDir);
  return {
    folder,
    basePath,
    assetPath: new URL(assetPrefix || basePath, "http://localhost").pathname.replace(/\/$/, ""),
    distDir: resolve(folder, distDir),
    locales: i18n ? [...new Set([i18n.defaultLocale, ...i18n.locales])] : [],
    tunnelPath: env?._sentryTunnelPath || `${basePath}/api/relay`,
  };
}

let found: string | undefined;

/**
 * Next keeps its `dir` to itself, which is no folder of the process: `next start apps/web`, and
 * `next({ dir })` of a custom server. But it has loaded instrumentation from the build in there.
 */
function appFolder(distDir: string): string {
  if (found) return found;
  const built = ["", "dev"].map((part) => join(sep, distDir, part, "server", "instrumentation.js"));
  // Bundlers put another in the place of one that is imported.
  const { createRequire } = process.getBuiltinModule("node:module");
  for (const file of Object.keys(createRequire(process.execPath).cache)) {
    const end = built.find((one) => file.endsWith(one));
    if (end) found = file.slice(0, -end.length);
  }
  return found ?? process.cwd();
}

function standalone(): Configuration | undefined {
  const text = process.env.__NEXT_PRIVATE_STANDALONE_CONFIG;
  return text ? JSON.parse(text) : undefined;
}

interface RoutesManifest {
  staticRoutes: { page: string }[];
  dynamicRoutes: { page: string }[];
}

interface PrerenderManifest {
  /** By pattern. */
  dynamicRoutes: object;
}

let known: string[] | undefined;

/**
 * The patterns of the app's pages, in the order in which Next asks them. The development server, which
 * builds a page when it is asked for, has none.
 */
export function servedPatterns(): readonly string[] {
  known ??= readPatterns();
  return known;
}

function readPatterns(): string[] {
  const { staticRoutes = [], dynamicRoutes = [] } =
    readBuilt<RoutesManifest>("routes-manifest.json");
  const pages = [...staticRoutes, ...dynamicRoutes].map(({ page }) => page);
  return pages.filter((page) => !/^\/(_|api(\/|$))/.test(page));
}

/** The patterns of pages with `getStaticPaths`. The development server has none. */
export function incrementalPatterns(): string[] {
  const { dynamicRoutes = {} } = readBuilt<PrerenderManifest>("prerender-manifest.json");
  return Object.keys(dynamicRoutes);
}

/** @returns nothing where there is no such file */
function readBuilt<T extends object>(file: string): Partial<T> {
  try {
    return JSON.parse(readFileSync(join(servedApp().distDir, file), "utf8"));
  } catch {
    return {};
  }
}
