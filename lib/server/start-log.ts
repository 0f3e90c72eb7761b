import type { RuntimeConfig } from "@signpost/sentry/server";
import { log, relay } from "@signpost/sentry/server";
import { basePath, tunnelPath } from "@/lib/navigation/location";
import { variableAdvice } from "./variable-advice";

/** Tells what was understood of the configuration, and what in the environment has no effect. */
export function logStart(config: RuntimeConfig): void {
  log("info", "started", understood(config));
  const built = { basePath, tunnel: tunnelPath.slice(tunnelPath.lastIndexOf("/") + 1) };
  const hasInbox = relay().destination !== undefined;
  for (const { name, advice } of variableAdvice({ config, built, hasInbox })) {
    log("warn", "check variable", { name, advice });
  }
}

/** @returns fields for the log: no password, key or token */
export function understood(config: RuntimeConfig) {
  const { dsn, database, dataDir } = config;
  const { destination } = relay();
  return {
    release: config.release,
    environment: config.environment,
    reports: dsn ? "service" : (destination ?? "nowhere"),
    ...(dsn && { service: new URL(dsn.envelopeUrl).host, project: dsn.projectId }),
    ...(database
      ? { outbox: "postgres", database: database.name, schema: database.schema }
      : { outbox: "file", dataDir }),
    basePath: basePath || "/",
    trustedProxies: config.trustedProxies.join(", ") || "none",
    serverTracesSampleRate: config.serverTracesSampleRate,
    browserTracesSampleRate: config.browserTracesSampleRate,
    serverTracing: config.serverTracing,
    relayRate: config.relayRate,
    relayMaxBytes: config.relayMaxBytes,
    outboxRetentionHours: config.outboxRetentionHours,
    // With a service, too: it is how long what was filed before is kept.
    ...(destination && {
      inboxRetentionDays: config.destination.retentionDays,
      inboxReportRetentionDays: config.destination.reportRetentionDays,
    }),
    node: process.versions.node,
  };
}
