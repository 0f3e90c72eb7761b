import type { RuntimeConfig } from "@signpost/sentry/server";
import { destinationName, type LogFields, log } from "@signpost/sentry/server";
import { basePath, tunnelPath } from "@/lib/navigation/location";
import { variableAdvice } from "./variable-advice";

/** Tells what was understood of the configuration, and what in the environment has no effect. */
export function logStart(config: RuntimeConfig): void {
  log("info", "started", understood(config));
  const built = { basePath, tunnel: tunnelPath.slice(tunnelPath.lastIndexOf("/") + 1) };
  const hasInbox = destinationName() !== undefined;
  for (const { name, advice } of variableAdvice({ config, built, hasInbox })) {
    log("warn", "check variable", { name, advice });
  }
}

/** @returns no password, key or token */
export function understood(config: RuntimeConfig): LogFields {
  const { dsn, database, dataDir } = config;
  return {
    release: config.release,
    environment: config.environment,
    reports: dsn ? "service" : (destinationName() ?? "nowhere"),
    ...(dsn && { service: new URL(dsn.envelopeUrl).host, project: dsn.projectId }),
    ...(database
      ? { outbox: "postgres", database: database.name, schema: database.schema }
      : { outbox: "file", dataDir }),
    basePath: basePath || "/",
    trustedProxies: config.trustedProxies.join(", ") || "none",
    serverTracesSampleRate: config.serverTracesSampleRate,
    browserTracesSampleRate: config.browserTracesSampleRate,
    serverTracing: config.serverTracing,
    relayRate: config.tunnelRate,
    relayMaxBytes: config.tunnelMaxBytes,
    outboxRetentionHours: config.outboxRetentionHours,
    // With a service, too: it is how long what was filed before is kept.
    ...(destinationName() && {
      inboxRetentionDays: config.destination.retentionDays,
      inboxReportRetentionDays: config.destination.reportRetentionDays,
    }),
    node: process.versions.node,
  };
}
