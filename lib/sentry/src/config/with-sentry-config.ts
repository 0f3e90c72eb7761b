import type { SentryBuildOptions } from "@sentry/nextjs/config";
import type { NextConfig } from "next";
import { readUploadConfig } from "../shared/environment/build.ts";
import { noteConfiguration } from "../shared/environment/served-app.ts";
import { sentryModules, webpackAliases } from "./sentry-modules.ts";
import { withSourceMaps } from "./source-maps.ts";

type Context = { defaultConfig: NextConfig };
type ConfigFunction = (phase: string, context: Context) => NextConfig | Promise<NextConfig>;

/**
 * Sentry's own options. Of these, `org`, `project` and `authToken` count, for the upload of source maps, and
 * `tunnelRoute`: where browsers send their reports, without the base path. It needs no page file.
 */
export type BuildOptions = SentryBuildOptions;

/**
 * Next's configuration with what the reporting needs of it: the like of Sentry's function of this name.
 *
 * @param given the app's own, or the function that gives it
 * @returns for the `default` export of next.config
 */
export function withSentryConfig(
  given: NextConfig | ConfigFunction = {},
  options: BuildOptions = {},
) {
  return async (phase: string, context: Context = { defaultConfig: {} }): Promise<NextConfig> => {
    const config = typeof given === "function" ? await given(phase, context) : given;
    const building = phase === "phase-production-build";
    if (building && config.output === "export") {
      throw new Error(
        'output is "export": leave it out, because reports need the app\'s own server.',
      );
    }
    const { basePath = "" } = config;
    const { tunnelRoute, authToken, org, project } = options;
    const tunnel = typeof tunnelRoute === "string" ? tunnelRoute : "/api/relay";
    const reported: NextConfig = {
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
    noteConfiguration(reported);
    if (!building) return reported;
    // An option goes before the variable of its name.
    const named = {
      ...(authToken && { SENTRY_AUTH_TOKEN: authToken }),
      ...(org && { SENTRY_ORG: org }),
      ...(project && { SENTRY_PROJECT: String(project) }),
    };
    return withSourceMaps(reported, readUploadConfig({ ...process.env, ...named }));
  };
}
