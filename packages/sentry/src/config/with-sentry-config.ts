import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { SentryBuildOptions } from "@sentry/nextjs/config";
import type { NextConfig } from "next";
import { readUploadConfig } from "../shared/environment/build.ts";
import { ConfigError } from "../shared/environment/check-environment.ts";
import { noteConfiguration } from "../shared/environment/served-app.ts";
import { nextFault, nextVersion } from "../shared/environment/versions.ts";
import { sentryModules, unequalParts, webpackAliases } from "./sentry-modules.ts";
import { withSourceMaps } from "./source-maps.ts";

type Context = { defaultConfig: NextConfig };
type ConfigFunction = (phase: string, context: Context) => NextConfig | Promise<NextConfig>;

/**
 * Sentry's own options. Of these, `org`, `project`, `authToken`, `sentryUrl` and `sourcemaps.disable` count,
 * for the upload of source maps, and `tunnelRoute`: where browsers send their reports, without the base
 * path. It needs no page file. `true` is the default, `/api/relay`: at a path drawn for each build, as in
 * Sentry's own set-up, pages of the build before would lose their reports.
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
  const { authToken, org, project, sourcemaps } = options;
  const tunnel = tunnelOf(options.tunnelRoute);
  const ours: NextConfig = {
    ...config,
    env: { ...config.env, _sentryTunnelPath: basePath + tunnel },
    // In `node_modules`, Node loads them, once for all of the server's bundles.
    serverExternalPackages: [
      ...(config.serverExternalPackages ?? []),
      "@signpost/relay",
      "@signpost/sentry",
      "@signpost/inbox",
    ],
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
  const version = nextVersion();
  const unserved = config.output === "export" ? needsServer : unreadFile(config);
  const fault = nextFault(version) ?? unserved ?? unequalParts();
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
  const upload = readUploadConfig({ ...process.env, ...wizardsVariables(), ...named });
  return withSourceMaps(withFreeTunnel(ours, tunnel), upload, version);
}

const tunnelExample = 'for example tunnelRoute: "/api/relay"';

/**
 * @throws {ConfigError} where no request's path can be it: the path is compared with that of the request as
 *   a client sends it, without its query
 */
function tunnelOf(route: unknown): string {
  if (!route || route === true) return "/api/relay";
  const isPath =
    typeof route === "string" &&
    /^(\/[\w.~-]+)+$/.test(route) &&
    // Clients take `.` and `..` out.
    new URL(route, "http://localhost").pathname === route &&
    !/^\/_next(\/|$)/.test(route);
  if (isPath) return route;
  throw new ConfigError([
    `tunnelRoute is ${JSON.stringify(route)}: must be a path of letters, digits, - . _ ~ that begins with a slash, does not end with one and is none of Next's own (/_next), ${tunnelExample}`,
  ]);
}

/** Makes the build fail where the app has a page or an API route that the tunnel would hide. */
function withFreeTunnel(config: NextConfig, tunnel: string): NextConfig {
  const own = config.compiler?.runAfterProductionCompile;
  return {
    ...config,
    compiler: {
      ...config.compiler,
      runAfterProductionCompile: async (build) => {
        const hidden = [tunnel, `${tunnel}/settings`].find(
          (path) => path in pagesOf(build.distDir),
        );
        if (hidden) {
          throw new ConfigError([
            `tunnelRoute is "${tunnel}", but the app has a page or an API route at ${hidden}, which would never be asked: choose another path, ${tunnelExample}`,
          ]);
        }
        await own?.(build);
      },
    },
  };
}

/** By pattern. Where Next no longer lists them, none is known. */
function pagesOf(distDir: string): object {
  const file = join(distDir, "server", "pages-manifest.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/**
 * The file that Sentry's wizard writes. As in Sentry's plugin, it is that of the working directory, and it
 * goes before the environment.
 * Source: @sentry/bundler-plugins/build/esm/core/build-plugin-manager.js
 */
function wizardsVariables(): NodeJS.Dict<string> {
  const file = ".env.sentry-build-plugin";
  return existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
}

const needsServer = 'output is "export": leave it out, because reports need the app\'s own server.';

const scriptExtensions = ["ts", "tsx", "js", "jsx", "mjs"];

/**
 * What is wrong where Next leaves a file of the set-up unread, without a word: it reports nothing then. Next
 * finds `instrumentation` by `pageExtensions`, and `instrumentation-client` by those of scripts.
 */
function unreadFile({ pageExtensions = scriptExtensions }: NextConfig): string | undefined {
  return (
    unreadAs("instrumentation", pageExtensions, scriptExtensions) ??
    unreadAs("instrumentation-client", scriptExtensions, pageExtensions)
  );
}

function unreadAs(name: string, read: string[], others: string[]): string | undefined {
  const isThere = (extension: string) =>
    ["", "src"].some((folder) => existsSync(join(folder, `${name}.${extension}`)));
  const unread = others.find(isThere);
  if (!unread || read.some(isThere)) return undefined;
  return `${name}.${unread} is not read: Next looks for ${name}.${read[0]}. Rename it.`;
}
