import { configOrExit, extendServer, runtimeConfig, serverReady } from "@signpost/sentry/server";
import { appConfig } from "@/lib/base/config/app-config";
import { ownConfig } from "@/lib/base/config/own-config";
import { addInboxTables, inbox, startPruning } from "@/lib/inbox/inbox";
import { hasInbox } from "@/lib/site/routes/built-in";
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
  const [config, { keepAliveMs }] = configOrExit(runtimeConfig, appConfig, ownConfig);
  // The log comes first, so that it has whatever fails below.
  ignoreOutputErrors();
  if (config.production) {
    logConsole();
    // Next's development server has an upgrade of its own.
    answerUpgrades();
    limitConnections();
    closeUnread();
    keepIdle(keepAliveMs);
  }
  addInboxTables();
  extendServer({ elsewhere: () => inbox().destination, steps: requestSteps });
}

/** What else a server process does besides serving pages. Runs once, before the first request. */
export async function startServer(): Promise<void> {
  startPruning();
  replaceBareErrors();
  const config = { ...runtimeConfig(), ...appConfig() };
  logStart(config);
  // Next waits for it before the first request.
  await serverReady();
  sayAddresses(config, hasInbox);
}
