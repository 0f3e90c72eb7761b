import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { App } from "../routes/location.ts";

/** What a server knows of the app that it serves: Next's configuration and its build say it. */
export interface ServedApp extends Omit<App, "patterns"> {
  /** Next's folder of the build, from the app's. */
  distDir: string;
  /** Where browsers send their reports: with the base path. */
  tunnelPath: string;
}

/** The part of Next's configuration that is read. */
interface Configuration {
  basePath?: string;
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
  const { basePath = "", distDir = ".next", i18n, env } = noted[key] ?? standalone() ?? {};
  return {
    basePath,
    distDir,
    locales: i18n ? [...new Set([i18n.defaultLocale, ...i18n.locales])] : [],
    tunnelPath: env?._sentryTunnelPath || `${basePath}/api/relay`,
  };
}

function standalone(): Configuration | undefined {
  const text = process.env.__NEXT_PRIVATE_STANDALONE_CONFIG;
  return text ? JSON.parse(text) : undefined;
}

interface RoutesManifest {
  staticRoutes: { page: string }[];
  dynamicRoutes: { page: string }[];
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
  try {
    const text = readFileSync(join(servedApp().distDir, "routes-manifest.json"), "utf8");
    const { staticRoutes, dynamicRoutes } = JSON.parse(text) as RoutesManifest;
    const pages = [...staticRoutes, ...dynamicRoutes].map(({ page }) => page);
    return pages.filter((page) => !/^\/(_|api(\/|$))/.test(page));
  } catch {
    return [];
  }
}
