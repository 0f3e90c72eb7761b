import { AsyncLocalStorage } from "node:async_hooks";
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
 * Next ends what `waitUntil` holds, the app's own listeners to the signal end, background work settles.
 * Further signals change nothing, but a second Ctrl-C stops it at once. Where the disk hangs, SIGKILL
 * ends it: lib/sentry/src/relay/outbox/sqlite-driver.ts.
 *
 * @param noticeMs how long a load balancer may see that `ready` answers 503 before the servers close
 */
export function shutDownOnSignal(background: Background, noticeMs: number): void {
  let since: number | undefined;
  const ofApp: unknown[] = [];
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const ofNext = process.listeners(signal).filter(isOfNext);
    for (const listener of ofNext) process.off(signal, listener);
    const stop = () => {
      const now = performance.now();
      if (since === undefined) {
        since = now;
        const shownMs = signal === "SIGINT" ? 0 : noticeMs;
        void shutDown({ signal, background, noticeMs: shownMs, ofNext, ofApp });
      } else if (signal === "SIGINT" && now - since > duplicateMs) {
        process.exit(128 + constants.signals.SIGINT);
      }
    };
    process.on(signal, stop);
    keepResults(signal, stop, ofApp);
  }
}

/**
 * Whether it is the one of `next start` and the standalone server. Others are the app's.
 * Source: next/dist/server/lib/start-server.js
 */
function isOfNext(listener: NodeJS.SignalsListener): boolean {
  return String(listener).includes("start-server process cleanup");
}

type Listener = NodeJS.SignalsListener & { listener?: NodeJS.SignalsListener };

/** Listeners that stand for another one. */
const keepers = new WeakSet<object>();

/**
 * Keeps what the signal's other listeners return, now and later ones: Node drops the promise of an asynchronous
 * one, and the process would end in its midst. Each can be found and taken away as before.
 *
 * @param own stays in place, so that the signal always has a listener
 * @param results what was returned
 */
function keepResults(signal: NodeJS.Signals, own: Listener, results: unknown[]): void {
  const keeperOf = (listener: Listener): Listener => {
    const isOnce = listener.listener !== undefined;
    const keeper: Listener = (...args) => {
      if (isOnce) process.off(signal, keeper);
      results.push(listener(...args));
    };
    // Node finds a listener by this, as it does that of `once`.
    keeper.listener = listener.listener ?? listener;
    keepers.add(keeper);
    return keeper;
  };
  const keepEach = () => {
    const others = process.rawListeners(signal).filter((listener) => listener !== own);
    if (others.every((listener) => keepers.has(listener))) return;
    // All of them, so that their order stays.
    for (const listener of others) process.off(signal, listener as Listener);
    for (const listener of others as Listener[]) {
      process.on(signal, keepers.has(listener) ? listener : keeperOf(listener));
    }
  };
  keepEach();
  process.on("newListener", (event) => {
    // It is told of before it is there.
    if (event === signal) queueMicrotask(keepEach);
  });
}

interface Stopping {
  signal: NodeJS.Signals;
  background: Background;
  noticeMs: number;
  ofNext: NodeJS.SignalsListener[];
  /** What the app's own listeners to the signal have returned. */
  ofApp: unknown[];
}

async function shutDown({ signal, background, noticeMs, ofNext, ofApp }: Stopping): Promise<void> {
  const until = performance.now() + maxMs;
  const left = () => Math.max(0, until - performance.now());
  const requestsLeft = () => Math.max(0, left() - (maxMs - maxRequestsMs));
  const state = serving();
  state.stopping = true;
  log("info", "stopping", { signal, requestsInFlight: state.requestsInFlight });
  await delay(noticeMs);
  // Or there would always be one in flight. Closes idle connections, too; the others end by themselves, as
  // `countInFlight` has asked for that.
  const servers = [...state.pageServers];
  const closed = ofNext.map((listener) => closeNext(listener, signal));
  if (closed.length === 0) for (const server of servers) server.close();
  background.stopClaiming(left());
  const answered = await within(requestsLeft(), allAnswered(state));
  // Next waits for its connections before it ends what `waitUntil` holds: also for those that were kept or have
  // asked for nothing yet, and for those on which an answer never ends.
  if (closed.length > 0) for (const server of servers) server.closeAllConnections();
  const finished = within(left(), Promise.all([...closed, ...ofApp]));
  // So that what these report is delivered, too.
  await Promise.race([finished, delay(requestsLeft())]);
  const settled = await within(left(), background.settle(left()));
  log("info", "stopped", { answered, settled, finished: await finished });
  process.exit(0);
}

/** What runs in it may not end the process: others still have work to do. */
const closing = new AsyncLocalStorage<() => void>();

/**
 * Next's listener closes its server, then Next, which ends what `waitUntil` holds, and then ends the process.
 *
 * @returns once it is about to do that
 */
function closeNext(listener: NodeJS.SignalsListener, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    const { exit } = process;
    process.exit = ((code?: number) => {
      const closed = closing.getStore();
      if (!closed) return exit(code);
      closed();
    }) as typeof exit;
    closing.run(resolve, listener, signal);
  });
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
