import { inspect } from "node:util";
import { ConfigError } from "@/lib/config/check-environment";
import { basePath, tunnelPath } from "@/lib/config/public";
import { type RuntimeConfig, runtimeConfig } from "@/lib/config/runtime";
import { serviceLimits, startDelivery, stopDelivery } from "@/lib/delivery/delivery-singleton";
import { startFiling, stopFiling } from "@/lib/inbox/inbox-singleton";
import { log } from "@/lib/log";
import { outbox } from "@/lib/outbox/outbox-singleton";
import { reportCrashes } from "@/lib/reporting/server/request-errors";
import { startReporting } from "@/lib/reporting/server/sdk";
import { shared } from "@/lib/reporting/server/shared";
import type { ReportStore } from "@/lib/reporting/server/waiting-reports";
import { hasInbox } from "@/lib/routes/built-in";
import { options } from "@/sentry.server.config";
import { ignoreOutputErrors, logConsole } from "./console";
import { onEachRequest } from "./each-request";
import { replaceBareErrors } from "./fallback-error-page";
import { requestSteps } from "./requests";
import { shutDownOnSignal } from "./shutdown";
import { closeUnread } from "./unread";
import { answerUpgrades } from "./upgrades";

/** Shorter tokens can be guessed, even at the rate that lib/inbox/access.ts allows. */
const minTokenLength = 8;
/** How long a process that crashes waits for its report to be stored. */
const maxFlushMs = 2000;

/**
 * Starts everything a server process does besides serving pages. Runs once, before the first
 * request.
 *
 * @param ownSignals whether the process's signals are left to the app: scripts/start.ts does that
 */
export async function startServer(ownSignals: boolean): Promise<void> {
  const config = configOrExit();
  // The log comes first, so that it has whatever fails below.
  ignoreOutputErrors();
  if (config.production) logConsole();
  // Next's development server has an upgrade of its own.
  if (config.production) {
    answerUpgrades();
    closeUnread();
  }
  // Then reporting, for the same reason. It only needs an outbox that can be appended to.
  const scopes = startReporting({
    config,
    basePath,
    tunnelPath,
    store: serverReports,
    takesMeasurements: () => serviceLimits().takesMeasurements(),
    options,
  });
  reportCrashes(flushReports);
  if (config.database) outliveCrashes();
  startDelivery();
  startFiling();
  onEachRequest(requestSteps(config.production, scopes));
  replaceBareErrors();
  // Next's development server handles signals well enough.
  if (config.production) shutDownOnSignal(settleReports, !ownSignals);
  logStart(config, ownSignals);
}

/** Where the server's own reports go: the same way as those of browsers. */
const serverReports: ReportStore = {
  append: (envelope) => outbox().append(envelope, "server"),
  countDrops: (drops) => outbox().countDrops(drops),
};

/** Hands to the outbox what was captured so far. With a local file it is on disk on return. */
function flushReports(): void {
  shared().reporter?.flush();
  void outbox().flush();
}

/**
 * Keeps a process that crashes alive until its report is stored, for an outbox that needs time for
 * that. If another listener is there, as Next's is, that one decides whether the process ends.
 */
function outliveCrashes(): void {
  process.on("uncaughtException", (error) => {
    if (process.listenerCount("uncaughtException") > 1) return;
    // As Node does without a listener.
    process.stderr.write(`Uncaught ${inspect(error)}\n`);
    const end = () => process.exit(1);
    setTimeout(end, maxFlushMs);
    void outbox().flush().finally(end);
  });
}

/** Writes all reports to disk, and delivers what can be delivered at once. */
async function settleReports(): Promise<void> {
  shared().reporter?.flush();
  await stopDelivery();
  await stopFiling();
}

/** `npm start` checks before it listens; this is for `next start` and the standalone server. */
function configOrExit(): RuntimeConfig {
  try {
    return runtimeConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/** @param announced whether scripts/start.ts prints the inbox's URL itself */
function logStart({ dsn, release, environment, ...config }: RuntimeConfig, announced: boolean) {
  log("info", "started", {
    release,
    environment,
    reports: dsn ? "service" : hasInbox ? "inbox" : "nowhere",
  });
  if (dsn || !hasInbox) return;
  if (config.inboxToken.length < minTokenLength) {
    const advice = `Anyone who guesses INBOX_TOKEN can read every report: use ${minTokenLength} characters or more.`;
    log("warn", "inbox token is short", { advice });
  }
  if (announced || !config.inboxTokenIsRandom) return;
  log("info", "inbox open", { path: `${basePath}/reports?token=${config.inboxToken}` });
}
