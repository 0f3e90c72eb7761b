import { inspect } from "node:util";
import { atMost } from "@/lib/base/at-most";
import { ConfigError } from "@/lib/base/config/check-environment";
import { basePath, tunnelPath } from "@/lib/base/config/public";
import { type RuntimeConfig, runtimeConfig } from "@/lib/base/config/runtime";
import { onEachRequest, type RequestStep } from "@/lib/base/server/each-request";
import {
  type Around,
  answerBeforeNext,
  type EarlyAnswer,
  serveDirectly,
} from "@/lib/base/server/early-answers";
import { countInFlight } from "@/lib/base/server/serving";
import { shutDownOnSignal } from "@/lib/base/server/shutdown";
import {
  endClaims,
  type StartOptions,
  serviceLimits,
  startDelivery,
  stopDelivery,
} from "@/lib/relay/delivery/delivery-singleton";
import { tellUntrustedProxy } from "@/lib/relay/http/untrusted-proxy";
import { outbox } from "@/lib/relay/outbox/outbox-singleton";
import { releases, tunnel } from "@/lib/relay/tunnel/tunnel-singleton";
import { options } from "@/sentry.server.config";
import { readMachine } from "./machine";
import { reportCrashes } from "./request-errors";
import { startReporting } from "./sdk";
import { startSessions } from "./sessions";
import { shared } from "./shared";
import type { ReportStore } from "./waiting-reports";

/** How long a process that crashes waits for its report to be stored. */
const maxFlushMs = 2000;
/** What a process that stops leaves for ending the claims. */
const releaseMs = 1000;
/** How long the first request waits for the name of the system, which errors have. */
const maxReadMs = 1000;

/** What the reporting does with each request. */
export interface RequestReporting {
  /** Before OpenTelemetry reads the headers. */
  prepare: RequestStep[];
  /** The tunnel. */
  reports: EarlyAnswer;
  /** Makes a request one of its own for Sentry's SDK. */
  inScope: Around;
}

/**
 * Starts the reporting alone, in an app that keeps its own server. Runs once, before the first request.
 *
 * @param ownSignals whether the process's signals are left to the app (NEXT_MANUAL_SIG_HANDLE)
 */
export async function startReportingAlone(ownSignals: boolean): Promise<void> {
  const config = configOrExit();
  const { prepare, reports, inScope, ready } = startReports(config);
  onEachRequest([countInFlight, ...prepare, answerBeforeNext([reports], inScope)]);
  if (config.production) shutDownOnSignal(reportPath, !ownSignals);
  await ready;
}

/**
 * Starts Sentry's SDK, the tunnel's way into the outbox, and the delivery out of it.
 *
 * @param delivery where reports go that no service gets
 * @returns also `ready`, which the first request waits for
 */
export function startReports(
  config: RuntimeConfig,
  delivery?: StartOptions,
): RequestReporting & { ready: Promise<unknown> } {
  const scopes = startReporting({
    config,
    basePath,
    tunnelPath,
    store: serverReports,
    takesMeasurements: () => serviceLimits().takesMeasurements(),
    options,
  });
  const sessions = options.sessions === false ? undefined : startSessions(config);
  reportCrashes(flushReports);
  if (config.database) outliveCrashes();
  startDelivery(delivery);
  // Where the store fails, the release is told of by its pages, as the id of their build.
  void releases()
    .announce()
    .catch(() => {});
  tunnel().onStored = (...stored) => sessions?.noteError(...stored);
  return {
    prepare: [
      tellUntrustedProxy(config.trustedProxies),
      ({ request, response }) => sessions?.count(request, response),
      ({ request }) => scopes.limitTrace(request),
    ],
    reports: serveDirectly(tunnelPath, (request, response) => tunnel().handle(request, response)),
    inScope: (request, response, serve) => scopes.serve(request, response, serve),
    ready: atMost(maxReadMs, readMachine()),
  };
}

/** Where the server's own reports go: the same way as those of browsers. */
const serverReports: ReportStore = {
  append: (envelope) => outbox().append(envelope, "server"),
  countDrops: (drops) => outbox().countDrops(drops),
};

/** @see reportCrashes */
function flushReports(mayEnd: boolean): void {
  shared().reporter?.flush();
  void (mayEnd ? outbox().flushNow() : outbox().flush());
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
    void outbox().flushNow().finally(end);
  });
}

/** What a process that stops ends, for `shutDownOnSignal`. */
export const reportPath = {
  endClaims: (maxMs: number) => endClaims(maxMs - releaseMs),
  /** Writes all reports to disk, and delivers what can be delivered at once. */
  async settle(maxMs: number): Promise<void> {
    shared().reporter?.flush();
    await stopDelivery(maxMs - releaseMs);
  },
};

/** The configuration. With one that can't be used, the process ends with the message and exit code 1. */
export function configOrExit(): RuntimeConfig {
  try {
    return runtimeConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
