import { configOrExit, extendServer, runtimeConfig, serverReady } from "@signpost/sentry/server";
import { env } from "@/lib/config";
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
  extendServer({ steps: requestSteps });
}

/** What else a server process does besides serving pages. Runs once, before the first request. */
export async function startServer(): Promise<void> {
  await replaceBareErrors();
  logStart(runtimeConfig());
  // Next waits for it before the first request.
  await serverReady();
  sayAddresses(runtimeConfig());
}
