import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SentryBuildOptions } from "@sentry/nextjs/config";
import type { NextConfig } from "next";
import { readUploadConfig } from "../shared/environment/build.ts";
import { noteConfiguration } from "../shared/environment/served-app.ts";
import { sentryModules, webpackAliases } from "./sentry-modules.ts";
import { withSourceMaps } from "./source-maps.ts";

type Context = { defaultConfig: NextConfig };
type ConfigFunction = (phase: string, context: Context) => NextConfig | Promise<NextConfig>;

/**
 * Sentry's own options. Of these, `org`, `project`, `authToken`, `sentryUrl` and `sourcemaps.disable` count,
 * for the upload of source maps, and `tunnelRoute`: where browsers send their reports, without the base
 * path. It needs no page file.
 */
export type BuildOptions = SentryBuildOptions;

/**
 * Next's configuration with what the reporting needs of it: the like of Sentry's function of this name.
 *
 * @param given the app's own, or the function that gives it
 * @returns an object for an object and a function for a function, for the `default` export of next.config
 *   or another function that wraps it
 * @throws {import("../shared/environment/check-environment.ts").ConfigError}
 */
export function withSentryConfig(given?: NextConfig, options?: BuildOptions): NextConfig;
export function withSentryConfig(given: ConfigFunction, options?: BuildOptions): ConfigFunction;
export function withSentryConfig(
  given: NextConfig | ConfigFunction = {},
  options: BuildOptions = {},
): NextConfig | ConfigFunction {
  if (typeof given !== "function") return reported(given, options);
  return (phase, context) => {
    const config = given(phase, context);
    if (!("then" in config)) return reported(config, options);
    return config.then((made) => reported(made, options));
  };
}

function reported(config: NextConfig, options: BuildOptions): NextConfig {
  const { basePath = "" } = config;
  const { tunnelRoute, authToken, org, project, sourcemaps } = options;
  const tunnel = typeof tunnelRoute === "string" ? tunnelRoute : "/api/relay";
  const ours: NextConfig = {
    ...config,
    env: { ...config.env, _sentryTunnelPath: basePath + tunnel },
    // Loaded by Node, once for all of the server's bundles.
    serverExternalPackages: [...(config.serverExternalPackages ?? []), "@signpost/sentry"],
    webpack(given, context) {
      const built = config.webpack?.(given, context) ?? given;
      if (!context.isServer) {
        built.resolve.alias = { ...webpackAliases, ...built.resolve.alias };
      }
      return built;
    },
    turbopack: {
      ...config.turbopack,
      resolveAlias: { ...sentryModules, ...config.turbopack?.resolveAlias },
    },
  };
  noteConfiguration(ours);
  const fault = config.output === "export" ? needsServer : unreadFile(config);
  // Next asks for the id in builds only.
  if (fault) return { ...ours, generateBuildId: () => Promise.reject(new Error(fault)) };
  // An option goes before the variable of its name.
  const named = {
    ...(authToken && { SENTRY_AUTH_TOKEN: authToken }),
    ...(org && { SENTRY_ORG: org }),
    ...(project && { SENTRY_PROJECT: String(project) }),
    ...(options.sentryUrl && { SENTRY_URL: options.sentryUrl }),
    ...(sourcemaps?.disable && { SENTRY_AUTH_TOKEN: undefined }),
  };
  return withSourceMaps(ours, readUploadConfig({ ...process.env, ...named }));
}

const needsServer = 'output is "export": leave it out, because reports need the app\'s own server.';

/** What is wrong where Next leaves a file of the set-up unread, without a word: it reports nothing then. */
function unreadFile({ pageExtensions = [] }: NextConfig): string | undefined {
  const [read] = pageExtensions;
  if (!read) return undefined;
  for (const name of ["instrumentation", "instrumentation-client"]) {
    const isThere = (extension: string) =>
      ["", "src"].some((folder) => existsSync(join(folder, `${name}.${extension}`)));
    const unread = ["ts", "tsx", "js", "jsx"].find(isThere);
    if (unread && !pageExtensions.some(isThere)) {
      return `${name}.${unread} is not read: with pageExtensions, Next looks for ${name}.${read}. Rename it.`;
    }
  }
  return undefined;
}
