import { constants } from "node:os";
import { log } from "@/lib/log";
import { type Serving, serving } from "./serving";

/** How long a load balancer can still see that `ready` has turned before the door is closed. */
const noticeMs = 1000;
/** For requests in flight, from the signal on. `/slow` takes 5 s at most. */
const requestsMs = 7000;
const settleMs = 2000;
/**
 * A signal to the whole process group (a terminal's Ctrl-C, systemd's SIGTERM) reaches the process
 * twice where npm stands between: once by way of npm.
 */
const echoMs = { SIGTERM: 100, SIGINT: 300 };

/**
 * Makes SIGTERM and SIGINT end the process in good order, with exit code 0 in less than 10 s:
 * `ready` turns 503, requests in flight are answered, connections close, work beside them settles.
 * A second signal ends it at once.
 *
 * @param settle ends the work that goes on beside requests; it has 2 s
 * @param takeOver removes the listeners that are there: `next start` and the standalone server
 *   install some that know of nothing but HTTP, unless NEXT_MANUAL_SIG_HANDLE is set
 */
export function installShutdown(settle: () => Promise<void>, takeOver: boolean): void {
  let since: number | undefined;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    if (takeOver) process.removeAllListeners(signal);
    process.on(signal, () => {
      const now = performance.now();
      if (since === undefined) {
        since = now;
        void shutDown(signal, settle);
      } else if (now - since > echoMs[signal]) process.exit(128 + constants.signals[signal]);
    });
  }
}

async function shutDown(signal: NodeJS.Signals, settle: () => Promise<void>): Promise<void> {
  const state = serving();
  state.draining = true;
  log("info", "stopping", { signal, requestsInFlight: state.inFlight });
  const noticed = signal === "SIGINT" ? 0 : noticeMs;
  const answered = await within(requestsMs, Promise.all([delay(noticed), allAnswered(state)]));
  for (const server of state.servers) {
    server.close();
    server.closeIdleConnections();
  }
  const settled = await within(settleMs, settle());
  log("info", "stopped", { answered, settled });
  process.exit(0);
}

function allAnswered(state: Serving): Promise<void> {
  return new Promise((resolve) => {
    state.onAnswered = () => {
      if (state.inFlight === 0) resolve();
    };
    state.onAnswered();
  });
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Whether the work came to its end in time; a failure is logged and counts as not. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  try {
    return await Promise.race([work.then(() => true), delay(ms).then(() => false)]);
  } catch (error) {
    log("error", "stopping failed", { cause: String(error) });
    return false;
  }
}
