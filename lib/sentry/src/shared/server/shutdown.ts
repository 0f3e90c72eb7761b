import { constants } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { log } from "../log.ts";
import { type Serving, serving } from "./serving.ts";

/** What a process does besides answering. Each is told how many milliseconds are left for all of it. */
interface Background {
  /** Begins nothing that might take longer. Called once no new requests are expected. */
  stopClaiming(maxMs: number): void;
  /** Finishes what is under way: 2.5 s or more are left. */
  settle(maxMs: number): Promise<void>;
}

/** For the requests in flight, counted from the signal. `/slow` takes at most 5 s. */
const maxRequestsMs = 7000;
/** For all of it: who stops a server often waits for 10 s. */
const maxMs = 9500;
/**
 * A signal to the whole process group (Ctrl-C in a terminal, SIGTERM by a supervisor) reaches the
 * process twice if npm started it, because npm passes it on, on a busy machine late. Only a Ctrl-C
 * that comes later than this is a second one.
 */
const duplicateMs = 1000;

/**
 * Makes SIGTERM and SIGINT stop the process gracefully, with exit code 0 in less than 10 s: `ready`
 * answers 503, then no more connections are taken and idle ones close, requests in flight are answered,
 * background work settles.
 * Further signals change nothing, but a second Ctrl-C stops it at once. Where the disk hangs, SIGKILL
 * ends it: lib/sentry/src/relay/outbox/sqlite-driver.ts.
 *
 * @param noticeMs how long a load balancer may see that `ready` answers 503 before the servers close
 */
export function shutDownOnSignal(background: Background, noticeMs: number): void {
  let since: number | undefined;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    for (const listener of process.listeners(signal).filter(isOfNext)) {
      process.off(signal, listener);
    }
    process.on(signal, () => {
      const now = performance.now();
      if (since === undefined) {
        since = now;
        void shutDown(signal, background, signal === "SIGINT" ? 0 : noticeMs);
      } else if (signal === "SIGINT" && now - since > duplicateMs) {
        process.exit(128 + constants.signals.SIGINT);
      }
    });
  }
}

/**
 * Whether it is the one of `next start` and the standalone server, which closes HTTP only. Others are the
 * app's. Source: next/dist/server/lib/start-server.js
 */
function isOfNext(listener: NodeJS.SignalsListener): boolean {
  return String(listener).includes("start-server process cleanup");
}

async function shutDown(
  signal: NodeJS.Signals,
  background: Background,
  noticeMs: number,
): Promise<void> {
  const until = performance.now() + maxMs;
  const left = () => until - performance.now();
  const state = serving();
  state.stopping = true;
  log("info", "stopping", { signal, requestsInFlight: state.requestsInFlight });
  const notice = delay(noticeMs);
  const answered = await within(
    maxRequestsMs,
    notice.then(() => {
      // Or there would always be one in flight. Closes idle connections, too; the others end by themselves, as
      // `countInFlight` has asked for that.
      for (const server of state.pageServers) server.close();
      background.stopClaiming(left());
      return allAnswered(state);
    }),
  );
  const settled = await within(left(), background.settle(left()));
  log("info", "stopped", { answered, settled });
  process.exit(0);
}

function allAnswered(state: Serving): Promise<void> {
  return new Promise((resolve) => {
    state.onResponse = () => {
      if (state.requestsInFlight === 0) resolve();
    };
    state.onResponse();
  });
}

/** @returns whether the work succeeded in time. A failure is logged */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  try {
    return await Promise.race([work.then(() => true), delay(ms, false)]);
  } catch (error) {
    log("error", "stopping failed", { cause: String(error) });
    return false;
  }
}
