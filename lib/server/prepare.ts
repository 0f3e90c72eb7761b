import { configOrExit, extendServer, logConsole, runtimeConfig } from "@signpost/sentry/server";
import { env } from "@/lib/config";
import { closeUnread, keepIdle } from "./connections";
import { limitConnections } from "./load-shedding";
import { requestSteps } from "./requests";
import { answerUpgrades } from "./upgrades";

/* What must be there before the first request. A bundler may run it before `Sentry.init` or after it. */

const [{ production }, { KEEP_ALIVE_TIMEOUT }] = configOrExit(runtimeConfig, env);
// The log comes first, so that it has whatever fails below. Without a listener, each error of these, such as a
// closed pipe or a full disk, is an uncaught exception, which is logged, which fails again.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
if (production) {
  logConsole();
  // Next's development server has an upgrade of its own.
  answerUpgrades();
  limitConnections();
  closeUnread();
  keepIdle(KEEP_ALIVE_TIMEOUT);
}
extendServer({ steps: requestSteps });
