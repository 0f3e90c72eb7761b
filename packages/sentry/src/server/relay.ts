import { relative, resolve, sep } from "node:path";
import { createRelay, type EmbeddedDestination, type Receive, type Relay } from "@signpost/relay";
import { sourceMapsFolder } from "../shared/environment/build.ts";
import { type RuntimeConfig, runtimeConfig } from "../shared/environment/runtime.ts";
import { servedApp } from "../shared/environment/served-app.ts";
import { log } from "../shared/log.ts";
import { singleton } from "../shared/singleton.ts";
import { developmentFrames } from "./development-frames.ts";
import { Releases } from "./releases.ts";

/* The relay of this process, made of its configuration and of what `init` says. */

interface RelayParts {
  destination?: EmbeddedDestination | undefined;
  receive?: Receive | undefined;
}

/** What is said before the relay is used, and what may be said after. */
export function relayParts(): RelayParts {
  return singleton("relay parts", () => ({}));
}

/**
 * @throws {import("../shared/environment/check-environment.ts").ConfigError}
 */
export function relay(): Relay {
  return singleton("relay", () => {
    const config = runtimeConfig();
    const { basePath, tunnelPath } = servedApp();
    const { destination, receive } = relayParts();
    const { dsn, database, dataDir } = config;
    return createRelay({
      dsn: dsn?.text,
      store: database ? { postgres: database } : { folder: dataDir },
      destination: destination && withSettings(destination, config.destination),
      log,
      path: tunnelPath,
      basePath,
      release: config.release,
      sourceMaps: sourceMaps(config),
      resolveStacks: config.resolveStacks,
      receive,
      maxBytes: config.relayMaxBytes,
      rate: config.relayRate,
      retentionHours: config.outboxRetentionHours,
      trustedProxies: config.trustedProxies,
      reportClientIp: config.reportClientIp,
      feedbackAsEvent: config.feedbackAsEvent,
      proxy: config.proxy,
    });
  });
}

function sourceMaps({ production, build }: RuntimeConfig) {
  if (!production) return developmentFrames();
  const { folder, distDir } = servedApp();
  return {
    folder: resolve(sourceMapsFolder()),
    build,
    distDir: relative(folder, distDir).replaceAll(sep, "/"),
  };
}

/** The destination, which is told of what operators have set for it. The relay refuses what is none. */
function withSettings(
  destination: EmbeddedDestination,
  settings: RuntimeConfig["destination"],
): EmbeddedDestination {
  const { name, tables, path } = destination;
  if (typeof destination.open !== "function") return destination;
  return { name, tables, path, open: (context) => destination.open({ ...context, settings }) };
}

/** Which release each build is, as this process knows it. */
export function releases(): Releases {
  return singleton("releases", () => {
    const { build, release } = runtimeConfig();
    return new Releases({ build, release, driver: () => relay().outbox.driver });
  });
}

/** @returns a sample rate as it holds now: 0 while the service takes no measurements */
export function rateNow(rate: number): number {
  return relay().limits.takesMeasurements() ? rate : 0;
}

/**
 * The part of the run-time configuration that the browser's reporting needs, for `{tunnel}/settings`.
 *
 * @param build the id of the page's build; without one, the release is this server's
 * @returns without a release where that of the build is not known: another server may know it, so no
 *   cache may keep the answer
 */
export async function browserSettings(build: unknown) {
  const { environment, browserTracesSampleRate, ...own } = runtimeConfig();
  const release = typeof build === "string" ? await releases().of(build) : own.release;
  return {
    body: { release, environment, tracesSampleRate: rateNow(browserTracesSampleRate) },
    cacheControl: release === undefined ? "no-store" : "public, max-age=300",
  };
}
