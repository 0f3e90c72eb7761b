import type { Client, EventHint, Scope, Event as SentryEvent } from "@sentry/core";
import type { ClientOptions } from "../client-options.ts";
import { currentRoute } from "./navigation.ts";
import { guarded } from "./page-load.ts";
import { type BrowserErrorEvent, type Thrown, thrownOf } from "./thrown.ts";

/**
 * The queue between the code that notices an error in the browser and the code that sends it. It is in the
 * first load of every page, so it must not import the SDK or the code that loads it.
 */

declare global {
  /** Those from before any bundle: the first script of the page stores them, see head-script.ts. */
  var signpostErrors: (BrowserErrorEvent | SecurityPolicyViolationEvent)[] | undefined;
}

/** What leaves without the SDK: `thrown` is what the tunnel makes the exception of. */
export type MinimalError = SentryEvent & {
  event_id: string;
  thrown?: (Partial<Thrown> & Pick<EventHint, "mechanism">) | undefined;
};

/** What is kept of a moment, for the SDK to capture in. */
export interface Scopes {
  global: Scope;
  isolation: Scope;
  current: Scope;
}

export interface ReportedError {
  error?: unknown;
  /** Milliseconds since the epoch. */
  at: number;
  /** The id of its event at the service, 32 hex digits. */
  reference: string;
  /** The pattern of the page that the error belongs to; not known before Next's code runs. */
  route?: string;
  /** The URL of the page that the visitor was on. */
  url: string;
  /** The one that has told of it, if one has. */
  event?: BrowserErrorEvent;
  /** What the app has captured by Sentry's functions in place of an error: one of these. */
  captured?: {
    /** A message; of an event, the words by which it is counted, as its type is. */
    value?: string;
    type?: string;
    level?: SentryEvent["level"];
    event?: SentryEvent;
  };
  /** Without its `captureContext`, if the app has captured it: the scopes have that. */
  hint?: EventHint | undefined;
  /** What React tells of that error: the components around it. */
  info?: { componentStack?: string | null };
  /** Those of its moment, if the page imports functions/. */
  scopes?: Scopes;
  /** Adds what they and the capture tell, if it leaves without the SDK. */
  complete?(payload: MinimalError): MinimalError;
}

/**
 * Reports in each ten minutes: of one kind, and all together. An error that comes in a loop leaves room for
 * others, and a page may be open for days.
 */
const maxAlike = 20;
const maxReports = 50;
const period = 600_000;
/** How many reports may wait: `init` may never be called. */
const maxWaiting = 100;

let counts: Record<string, number> = {};
let countedSince = 0;

/** How many reports were one too many: the SDK's part tells it. */
export let dropped = 0;

interface Words {
  type?: string;
  value?: string | undefined;
}

/**
 * Counts a report that is to leave the page. What is alike has the same type and message, but for
 * numbers. Messages don't keep out an error: without a type, they are counted apart.
 *
 * @returns whether there were too many
 */
export function isTooMany({ type = "", value }: Words): boolean {
  const now = performance.now();
  if (now - countedSince > period) {
    counts = {};
    countedSince = now;
  }
  const isOver = (kind: string, max: number) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
    return counts[kind] > max;
  };
  const alike = `${type}:${value}`.replace(/\d+/g, "0").slice(0, 500);
  const isOne =
    queue[maxWaiting - 1] || isOver(alike, maxAlike) || isOver(type && "errors", maxReports);
  if (isOne) dropped++;
  return Boolean(isOne);
}

/** What `init` was given; and what functions/ adds, so that other pages carry none of it. */
export const started: {
  options?: ClientOptions;
  /** The SDK's, or what stands for it. */
  client?: Client;
  /** Adds to a report the scopes of its moment. */
  addScopes?(reported: ReportedError): void;
} = {};

/** What can be called on a client, by its name. */
export type Methods = Record<PropertyKey, ((...args: unknown[]) => unknown) | undefined>;

/**
 * What was called on the client that `init` gives, before there was the SDK's or what stands for it. A listener that
 * is taken away, then or later, is no longer among its arguments.
 */
export const callsOnClient: [name: PropertyKey, args: unknown[]][] = [];

/** The reports that wait. */
export const queue: ReportedError[] = [];

/**
 * Where reporting stands, and what becomes of a report there:
 *
 * - `before` `init`: it waits in the queue.
 * - `loading`: it waits, and has the SDK loaded. If the page is left first, it leaves without that.
 * - `blocked`, since the SDK can't be loaded: it leaves without it, at once.
 * - `running`: the SDK takes it.
 * - `off`, by an option or by `close`: it is forgotten.
 */
type State = "before" | "loading" | "blocked" | "running" | "off";

export let state: State = "before";
let take = () => {};

/** @param taking takes what waits from now on, and then each report as it comes */
export function enter(next: State, taking: () => void): void {
  state = next;
  take = taking;
  if (queue[0]) take();
}

/** For what waits for the SDK beside the queue, as a report does in it. */
export function bringSdk(): void {
  take();
}

/** The references of errors reported so far, so that each error is reported once. */
export const references = new WeakMap<WeakKey, string>();

/**
 * Reports an error, unless it has been reported before. It is sent as soon as possible.
 *
 * @param mechanism of its event: what has noticed it, by the SDK's own word where that has one
 * @param more what else is known of it: its `route`, where that is not the one that the visitor is on
 * @returns the id of its event at the service, 32 hex digits; known at once, before it is sent
 */
export function queueError(
  error: unknown,
  mechanism?: EventHint["mechanism"],
  more?: Partial<ReportedError>,
): string {
  // A thrown text or number is never found: a WeakMap can't hold it.
  const known = references.get(error as WeakKey);
  if (known) return known;
  const reference = newId();
  report({ hint: { mechanism }, ...more, error, reference });
  return reference;
}

/** Queues what has an id, with the time and page of this moment, unless there were too many. */
export const report = guarded((given: Omit<ReportedError, "at" | "url">) => {
  const { error, event, reference } = given;
  if (Object(error) === error) references.set(error as WeakKey, reference);
  // The clock of `performance` stands still while the machine sleeps, so it gives the event's age alone.
  // In whole milliseconds, as the SDK tells the time of a breadcrumb that came just before.
  const at = Date.now() - Math.floor(event ? performance.now() - event.timeStamp : 0);
  // The visitor may be on another page by the time the error is sent.
  const reported = { at, url: location.href, route: currentRoute(), ...given };
  started.addScopes?.(reported);
  // The SDK's part asks that itself, after the team's hook.
  if (state === "running" || !isTooMany(given.captured ?? thrownOf(error, event)))
    queue.push(reported);
  take();
});

/** An id of an event or a trace at the service: 32 hex digits. */
export function newId(): string {
  const random = new Uint8Array(32);
  try {
    // `Math.random` alone gives some crawlers the same each time.
    crypto.getRandomValues(random);
  } catch {}
  const digit = (one: number) => ((one ^ (16 * Math.random())) & 15).toString(16);
  return Array.from(random, digit).join("");
}

/** Takes all errors out of the queue, oldest first. */
export function takeErrors(): ReportedError[] {
  return queue.splice(0);
}
