import type { Socket } from "node:net";
import { constants } from "node:os";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { log } from "../shared/log.ts";
import { captureFailure } from "./references.ts";
import { mechanisms } from "./reporting-state.ts";
import { onPageServer, type Serving, serving } from "./serving.ts";

/** What a process does besides answering. Each is told how many milliseconds are left for all of it. */
interface Background {
  /** Begins nothing that might take longer. Called once no new requests are expected. */
  stopClaiming(maxMs: number): void;
  /** Finishes what is under way: 2.5 s or more are left. */
  settle(maxMs: number): Promise<void>;
}

/** For the requests in flight, counted from the signal. `/slow` takes at most 5 s. */
const maxRequestsMs = 7000;
/** For a connection that has asked for nothing yet: a proxy connects just before it asks. */
const firstRequestMs = 1000;
/**
 * Turns of the event loop in which connections that wait for the servers are taken. Node takes one in each, and
 * has the system keep up to 511 for a server.
 */
const maxTakingTurns = 1000;
/** For all of it: who stops a server often waits for 10 s. */
const maxMs = 9500;
/**
 * A signal to the whole process group (Ctrl-C in a terminal, SIGTERM by a supervisor) reaches the
 * process twice if npm started it, because npm passes it on, on a busy machine late. Only a Ctrl-C
 * that comes later than this is a second one.
 */
const duplicateMs = 1000;

const signals = ["SIGTERM", "SIGINT"] as const;

/**
 * Makes SIGTERM and SIGINT stop the process gracefully, with exit code 0 in less than 10 s: `ready`
 * answers 503, then no more connections are taken and idle ones close, new ones have a second to ask for
 * something, requests in flight are answered, Next ends what `waitUntil` holds, the app's own listeners to the
 * signal end, background work settles. Further signals change nothing, but a second Ctrl-C stops it at once.
 * Where the disk hangs, SIGKILL ends it: packages/relay/src/outbox/sqlite-driver.ts.
 *
 * @param noticeMs how long a load balancer may see that `ready` answers 503 before the servers close
 */
export function shutDownOnSignal(background: Background, noticeMs: number): void {
  const { exit } = process;
  const connections = pageConnections();
  const ofApp = resultsOfListeners();
  let since: number | undefined;
  for (const signal of signals) {
    const before = process.rawListeners(signal) as NodeJS.SignalsListener[];
    const ofNext = before.filter(isOfNext);
    // All of them, as Node binds `process.emit` when the first listener to a signal comes.
    process.removeAllListeners(signal);
    for (const listener of before) if (!isOfNext(listener)) process.on(signal, listener);
    process.on(signal, () => {
      const now = performance.now();
      if (since === undefined) {
        since = now;
        const shownMs = signal === "SIGINT" ? 0 : noticeMs;
        void shutDown({ signal, background, noticeMs: shownMs, connections, ofNext, ofApp });
      } else if (signal === "SIGINT" && now - since > duplicateMs) {
        exit(exitCodeOf(signal));
      }
    });
  }
}

/**
 * Whether it is the one of `next start` and the standalone server. Others are the app's.
 * Source: next/dist/server/lib/start-server.js
 */
function isOfNext(listener: NodeJS.SignalsListener): boolean {
  return String(listener).includes("start-server process cleanup");
}

/** Of a process that ends by a signal. */
function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** @returns those that are open: Node forgets those that were upgraded, and `server.close` waits for them */
function pageConnections(): Set<Socket> {
  const open = new Set<Socket>();
  onPageServer(
    () => {},
    (socket) => {
      open.add(socket);
      socket.once("close", () => open.delete(socket));
    },
  );
  return open;
}

/**
 * Calls the listeners to a signal in the place of `process.emit`, which drops the promise of an asynchronous
 * one: the process would end in its midst.
 *
 * @returns what they do, from now on. None of it rejects
 */
function resultsOfListeners(): Promise<unknown>[] {
  const results: Promise<unknown>[] = [];
  const { emit } = process;
  process.emit = function (this: NodeJS.Process, event: string, ...args: unknown[]) {
    if (!signals.some((signal) => signal === event)) {
      return Reflect.apply(emit, this, [event, ...args]);
    }
    const listeners = process.rawListeners(event as NodeJS.Signals);
    for (const listener of listeners) {
      // One that throws keeps the others, ours among them, from nothing.
      const call = async () => Reflect.apply(listener, process, args);
      results.push(call().catch(reportFailed));
    }
    return listeners.length > 0;
  } as typeof emit;
  return results;
}

function reportFailed(error: unknown): void {
  captureFailure(error, { mechanism: mechanisms.unhandledRejection });
  log("error", "listener to the signal failed", { cause: String(error) });
}

interface Stopping {
  signal: NodeJS.Signals;
  background: Background;
  noticeMs: number;
  connections: Set<Socket>;
  ofNext: NodeJS.SignalsListener[];
  /** What the app's own listeners to the signal do. */
  ofApp: Promise<unknown>[];
}

async function shutDown(stopping: Stopping): Promise<void> {
  const { signal, background, noticeMs, connections, ofNext, ofApp } = stopping;
  const until = performance.now() + maxMs;
  const left = () => Math.max(0, until - performance.now());
  const requestsLeft = () => Math.max(0, left() - (maxMs - maxRequestsMs));
  const state = serving();
  state.stopping = true;
  log("info", "stopping", { signal, requestsInFlight: state.requestsInFlight });
  await delay(noticeMs);
  await allTaken(connections);
  // Or there would always be one in flight. Closes idle connections, too; the others end by themselves, as
  // `countInFlight` has asked for that.
  const servers = [...state.pageServers];
  const closed = ofNext.map((listener) => closeNext(listener, signal));
  if (closed.length === 0) for (const server of servers) server.close();
  background.stopClaiming(left());
  await within(Math.min(firstRequestMs, requestsLeft()), allHaveAsked(connections));
  const answered = await within(requestsLeft(), allAnswered(state));
  // Next waits for its connections before it ends what `waitUntil` holds: also for those that were kept, upgraded
  // or have asked for nothing yet, and for those on which an answer never ends.
  if (closed.length > 0) {
    for (const server of servers) server.closeAllConnections();
    for (const socket of connections) socket.destroy();
  }
  const finished = within(left(), Promise.all([...closed, ...ofApp]));
  // So that what these report is delivered, too.
  await Promise.race([finished, delay(requestsLeft())]);
  const settled = await within(left(), background.settle(left()));
  log("info", "stopped", { answered, settled, finished: await finished });
  process.exit(0);
}

/**
 * Next's listener closes its server, then Next, which ends what `waitUntil` holds, and then ends the process with
 * the signal's code. That is kept from it, as others still have work to do.
 *
 * @returns once Next is closed
 */
function closeNext(listener: NodeJS.SignalsListener, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    const { exit } = process;
    process.exit = ((code?: number) =>
      code === exitCodeOf(signal) ? resolve() : exit(code)) as typeof exit;
    listener(signal);
  });
}

/** The system resets the connections that it has made for a server which closes before it has taken them. */
async function allTaken(connections: Set<Socket>): Promise<void> {
  let newest: Socket | undefined;
  for (let turns = 0; turns < maxTakingTurns; turns++) {
    const before = newest;
    newest = [...connections].at(-1);
    if (turns > 0 && newest === before) return;
    await nextTurn();
  }
}

async function allHaveAsked(connections: Set<Socket>): Promise<void> {
  while ([...connections].some(({ bytesRead }) => bytesRead === 0)) await delay(10);
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
