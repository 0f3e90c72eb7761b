import type { RuntimeConfig } from "@/lib/base/config/runtime";
import { log } from "@/lib/base/log";
import { onEachRequest } from "@/lib/base/server/each-request";
import { shutDownOnSignal } from "@/lib/base/server/shutdown";
import { addInboxTables, inbox, startPruning } from "@/lib/inbox/inbox-singleton";
import { outbox } from "@/lib/relay/outbox/outbox-singleton";
import { configOrExit, reportPath, startReports } from "@/lib/sentry/server/start";
import { hasInbox } from "@/lib/site/routes/built-in";
import { sayAddresses } from "./addresses";
import { carryOver } from "./carry-over";
import { ignoreOutputErrors, logConsole } from "./console";
import { replaceBareErrors } from "./fallback-error-page";
import { requestSteps } from "./requests";
import { closeUnread } from "./unread";
import { answerUpgrades } from "./upgrades";

/** Shorter tokens can be guessed, even at the rate that lib/inbox/access.ts allows. */
const minTokenLength = 8;

/**
 * Starts everything a server process does besides serving pages. Runs once, before the first
 * request.
 */
export async function startServer(): Promise<void> {
  const config = configOrExit();
  // The log comes first, so that it has whatever fails below.
  ignoreOutputErrors();
  if (config.production) logConsole();
  // Next's development server has an upgrade of its own.
  if (config.production) {
    answerUpgrades();
    closeUnread();
  }
  addInboxTables();
  const takeOver = () => carryOver(outbox().driver, hasInbox);
  // Before what follows, so that its failures are reported.
  const reporting = startReports(config, {
    elsewhere: () => inbox().destination,
    jobs: [takeOver],
  });
  // Pruning removes counts of reports that are not taken over yet. A failure is logged by the job.
  void takeOver().then(startPruning, startPruning);
  onEachRequest(requestSteps(config.production, reporting));
  replaceBareErrors();
  // Next's development server handles signals well enough.
  if (config.production) shutDownOnSignal(reportPath, true);
  logStart(config);
  // Next waits for it before the first request.
  await reporting.ready;
  sayAddresses(config, hasInbox);
}

function logStart({ dsn, release, environment, inboxToken }: RuntimeConfig) {
  log("info", "started", {
    release,
    environment,
    reports: dsn ? "service" : hasInbox ? "inbox" : "nowhere",
  });
  if (dsn || !hasInbox || inboxToken.length >= minTokenLength) return;
  const advice = `Anyone who guesses INBOX_TOKEN can read every report: use ${minTokenLength} characters or more.`;
  log("warn", "inbox token is short", { advice });
}
