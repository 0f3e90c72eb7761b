import { basePath, tunnelPath } from "@/lib/config/public";
import { ConfigError } from "@/lib/config/refusal.js";
import { type RuntimeConfig, runtimeConfig } from "@/lib/config/runtime.js";
import { log } from "@/lib/log";
import { outbox, startCourier, stopCourier } from "@/lib/outbox";
import { startRelay } from "@/lib/relay";
import { reportCrashes } from "@/lib/reporting/server/request-errors";
import { shared } from "@/lib/reporting/server/shared";
import type { ReportStore } from "@/lib/reporting/server/waiting-reports";
import { start as startReporting } from "@/sentry.server.config";
import { ignoreOutputErrors, logConsole } from "./console";
import { makeWhatWasMissing } from "./generate-on-miss";
import { answerWhenAllElseFails } from "./last-resort";
import { findNothingUnderDots } from "./reject-dot-segments";
import { sendHeadersEverywhere } from "./response-headers";
import { watchServing } from "./serving";
import { installShutdown } from "./shutdown";

/** So many lower-case letters take centuries to guess at the pace of lib/inbox/guesses.ts. */
const shortToken = 8;

/** Everything that goes on in a server process beside answering requests. */
export async function startServer(signalsAreFree: boolean): Promise<void> {
  const config = configOrRefusal();
  ignoreOutputErrors();
  if (config.production) logConsole();
  const store: ReportStore = {
    append: (envelope) => outbox().append(envelope, "server"),
    countDrops: (drops) => outbox().countDrops(drops),
  };
  startReporting({ config, basePath, tunnelPath, store });
  const flush = () => {
    shared().reporter?.flush();
    outbox().flush();
  };
  reportCrashes(flush);
  startCourier();
  watchServing();
  if (config.production) sendHeadersEverywhere();
  if (config.production) startRelay();
  if (config.production) makeWhatWasMissing();
  findNothingUnderDots();
  answerWhenAllElseFails();
  if (config.production) installShutdown(settle, !signalsAreFree);
  announce(config, signalsAreFree);
}

/** Puts all reports on disk, and delivers what can be delivered at once. */
async function settle(): Promise<void> {
  shared().reporter?.flush();
  await stopCourier();
}

/** `npm start` checks before it listens; this is for `next start` and the standalone server. */
function configOrRefusal(): RuntimeConfig {
  try {
    return runtimeConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/** @param announced scripts/start.js shows people the way to the inbox by itself */
function announce(
  { dsn, release, environment, ...config }: RuntimeConfig,
  announced: boolean,
): void {
  log("info", "started", { release, environment, reports: dsn ? "service" : "inbox" });
  if (!dsn && config.inboxToken.length < shortToken) {
    const advice = `Whoever guesses INBOX_TOKEN reads every report: use ${shortToken} characters or more.`;
    log("warn", "inbox token is short", { advice });
  }
  if (dsn || announced || !config.inboxTokenIsRandom) return;
  log("info", "inbox open", { path: `${basePath}/reports?token=${config.inboxToken}` });
}
