import { configOrExit, extendServer, runtimeConfig, serverReady } from "@signpost/sentry/server";
import { env, inboxConfig } from "@/lib/config";
import { addInboxTables, inbox, startPruning } from "@/lib/inbox/inbox";
import { hasInbox } from "@/lib/navigation/built-in";
import { sayAddresses } from "./addresses";
import { closeUnread, keepIdle } from "./connections";
import { ignoreOutputErrors, logConsole } from "./console";
import { replaceBareErrors } from "./fallback-error-page";
import { limitConnections } from "./load-shedding";
import { requestSteps } from "./requests";
import { logStart } from "./start-log";
import { answerUpgrades } from "./upgrades";

/** What the reporting must find when it starts. Runs once, before `Sentry.init`. */
export function prepareServer(): void {
  const [{ production }, { KEEP_ALIVE_TIMEOUT }] = configOrExit(runtimeConfig, env);
  // The log comes first, so that it has whatever fails below.
  ignoreOutputErrors();
  if (production) {
    logConsole();
    // Next's development server has an upgrade of its own.
    answerUpgrades();
    limitConnections();
    closeUnread();
    keepIdle(KEEP_ALIVE_TIMEOUT);
  }
  addInboxTables();
  extendServer({ elsewhere: () => inbox().destination, steps: requestSteps });
}

/** What else a server process does besides serving pages. Runs once, before the first request. */
export async function startServer(): Promise<void> {
  startPruning();
  replaceBareErrors();
  const understood = { ...runtimeConfig(), ...inboxConfig() };
  logStart(understood);
  // Next waits for it before the first request.
  await serverReady();
  sayAddresses(understood, hasInbox);
}
