import type { RuntimeConfig } from "@signpost/sentry/server";
import { type LogFields, log } from "@signpost/sentry/server";
import type { InboxConfig } from "@/lib/config";
import { hasInbox } from "@/lib/navigation/built-in";
import { basePath, tunnelPath } from "@/lib/navigation/location";
import { variableAdvice } from "./variable-advice";

/** Shorter tokens can be guessed, even at the rate that lib/inbox/access.ts allows. */
const minTokenLength = 8;

/** Tells what was understood of the configuration, and what in the environment has no effect. */
export function logStart(config: RuntimeConfig & InboxConfig): void {
  log("info", "started", understood(config));
  const built = { basePath, tunnel: tunnelPath.slice(tunnelPath.lastIndexOf("/") + 1) };
  for (const { name, advice } of variableAdvice({ config, built, hasInbox })) {
    log("warn", "check variable", { name, advice });
  }
  if (config.dsn || !hasInbox || config.inboxToken.length >= minTokenLength) return;
  const advice = `Anyone who guesses INBOX_TOKEN can read every report: use ${minTokenLength} characters or more.`;
  log("warn", "inbox token is short", { advice });
}

/** @returns no password, key or token */
export function understood(config: RuntimeConfig & InboxConfig): LogFields {
  const { dsn, database, dataDir } = config;
  return {
    release: config.release,
    environment: config.environment,
    reports: dsn ? "service" : hasInbox ? "inbox" : "nowhere",
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
    ...(hasInbox && retentionOf(config)),
    node: process.versions.node,
  };
}

function retentionOf(config: InboxConfig): LogFields {
  const { inboxRetentionDays, inboxReportRetentionDays } = config;
  return { inboxRetentionDays, inboxReportRetentionDays };
}
