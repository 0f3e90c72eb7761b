import { onEachRequest } from "@/lib/base/server/each-request";
import { shutDownOnSignal } from "@/lib/base/server/shutdown";
import { addInboxTables, inbox, startPruning } from "@/lib/inbox/inbox-singleton";
import { configOrExit, reportPath, startReports } from "@/lib/sentry/server/start";
import { hasInbox } from "@/lib/site/routes/built-in";
import { sayAddresses } from "./addresses";
import { closeUnread, keepIdle } from "./connections";
import { ignoreOutputErrors, logConsole } from "./console";
import { replaceBareErrors } from "./fallback-error-page";
import { requestSteps } from "./requests";
import { logStart } from "./start-log";
import { answerUpgrades } from "./upgrades";

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
    keepIdle(config.keepAliveMs);
  }
  addInboxTables();
  // Before what follows, so that its failures are reported.
  const reporting = startReports(config, {
    elsewhere: () => inbox().destination,
  });
  startPruning();
  onEachRequest(requestSteps(config.production, reporting));
  replaceBareErrors();
  // Next's development server handles signals well enough.
  if (config.production) shutDownOnSignal(reportPath, true);
  logStart(config);
  // Next waits for it before the first request.
  await reporting.ready;
  sayAddresses(config, hasInbox);
}
