import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { NextConfig } from "next";
import { readBuildConfig } from "../base/config/build.ts";
import { sentryModules } from "./next-modules.ts";
import { checkSentryImports, hasTracesSampler } from "./sentry-imports.ts";
import { withSourceMaps } from "./source-maps.ts";

type Context = { defaultConfig: NextConfig };
type ConfigFunction = (phase: string, context: Context) => NextConfig | Promise<NextConfig>;

/**
 * Next's configuration with what the reporting needs of it, in an app that is not made of Signpost: the
 * like of Sentry's `withSentryConfig`. reporting.config.ts finds the app's pages in `NEXT_PUBLIC_PAGES`, its
 * locales in `NEXT_PUBLIC_LOCALES`.
 *
 * @param given the app's own, or the function that gives it
 * @param folder of the app
 * @returns for the `default` export of next.config; a build fails where Sentry's SDK is used in a way
 *   that reports nothing
 */
export function withReporting(given: NextConfig | ConfigFunction, folder = ".") {
  return async (phase: string, context: Context = { defaultConfig: {} }): Promise<NextConfig> => {
    const config = typeof given === "function" ? await given(phase, context) : given;
    const building = phase === "phase-production-build";
    const root = existsSync(join(folder, "src/pages")) ? "src" : ".";
    if (building) {
      checkSentryImports(folder);
      refuse(config);
    }
    const { basePath = "" } = config;
    const build = readBuildConfig();
    const reported: NextConfig = {
      ...config,
      env: {
        ...config.env,
        NEXT_PUBLIC_BASE_PATH: basePath,
        NEXT_PUBLIC_TUNNEL: build.tunnel,
        NEXT_PUBLIC_TRACES_SAMPLER: hasTracesSampler(folder) ? "true" : "",
        NEXT_PUBLIC_PAGES: pagesIn(join(folder, root, "pages"), config.pageExtensions).join(" "),
        NEXT_PUBLIC_LOCALES: localesOf(config).join(" "),
      },
      turbopack: {
        ...config.turbopack,
        resolveAlias: { ...config.turbopack?.resolveAlias, ...sentryModules(root) },
      },
      webpack() {
        throw new Error(
          "Build without --webpack: the thread that stores reports is missing from what it builds.",
        );
      },
      transpilePackages: [...(config.transpilePackages ?? []), "zod"],
    };
    return building ? withSourceMaps(reported, build) : reported;
  };
}

/** @throws {Error} where the app would be built, and report nothing */
function refuse({ distDir = ".next", output }: NextConfig): void {
  if (distDir !== ".next") {
    throw new Error(
      `distDir is "${distDir}": leave it out, because the server looks for its release and its source maps in .next.`,
    );
  }
  if (output === "export") {
    throw new Error(
      'output is "export": leave it out, because reports need the app\'s own server.',
    );
  }
}

/** @returns the default one first */
function localesOf({ i18n }: NextConfig): string[] {
  return i18n ? [...new Set([i18n.defaultLocale, ...i18n.locales])] : [];
}

/** @returns the patterns of the pages in a folder, API routes and Next's own pages apart */
function pagesIn(folder: string, extensions = ["tsx", "ts", "jsx", "js"]): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((file) => {
    const extension = extensions.find((one) => file.endsWith(`.${one}`));
    if (!extension) return [];
    const name = file.slice(0, -extension.length - 1).replaceAll("\\", "/");
    if (/^(api\/|_|404$|500$)/.test(name)) return [];
    return `/${name.replace(/(^|\/)index$/, "")}`;
  });
}
