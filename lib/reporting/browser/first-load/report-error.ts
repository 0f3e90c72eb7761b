import type { EventHint } from "@sentry/browser";
import { type ErrorSource, errorRoute } from "./error-route";
import type { Captured, ScopeData } from "./sdk-link";

/**
 * The queue between the code that notices an error in the browser and the code that sends it. Pages
 * and components import this file, so it must not import the SDK or the code that loads it.
 */

/**
 * The first script of every page, inline and allowed by its hash: it stores the events of errors
 * and policy violations that come before any bundle runs. `watchErrors` takes them over.
 */
export const headScript =
  'signpostErrors=[];["error","unhandledrejection","securitypolicyviolation"].forEach(t=>addEventListener(t,e=>signpostErrors.push(e)))';

declare global {
  var signpostErrors: (BrowserErrorEvent | SecurityPolicyViolationEvent)[] | undefined;
}

export type BrowserErrorEvent = ErrorEvent | PromiseRejectionEvent;

/** What lib/sentry knows of a report. */
export interface ReportContext {
  /** The scope of its moment. */
  scope: ScopeData;
  captured: Captured;
  hint?: EventHint;
  /** As with the SDK, whoever captures something may choose the id of its event. */
  chosenId?: string;
  /** Adds it all to the event that leaves without the SDK. */
  complete(event: object): void;
}

export interface ReportedError {
  error: unknown;
  source: ErrorSource;
  /** Milliseconds since the epoch. */
  at: number;
  /** The id of its event at the service, 32 hex digits. */
  reference: string;
  /** The pattern of the page that the error belongs to; not known before Next's code runs. */
  route?: string;
  /** The URL of the page that the visitor was on. */
  url: string;
  /** If the source is an event. */
  event?: BrowserErrorEvent;
  /** If the page imports lib/sentry. */
  context?: ReportContext;
}

/** The `mechanism.type` of an error's report: where the SDK has one, its own. */
export function mechanismOf({ source, event }: Pick<ReportedError, "source" | "event">): string {
  if (event) return `auto.browser.global_handlers.on${event.type}`;
  return source === "boundary" ? "auto.function.react.error_boundary" : `signpost.${source}`;
}

/**
 * For each page load, as long as no SDK runs, which has a limit of its own. A page that throws in a
 * loop says nothing new after that.
 */
const maxErrors = 50;

let count = 0;
/** In a page that imports lib/sentry, its `push` adds the context of each report. */
export const queue: ReportedError[] = [];
let onQueued = () => {};

/** The references of errors reported so far, so that each error is reported once. */
export const references = new WeakMap<WeakKey, string>();

/**
 * Reports an error, unless it has been reported before. It is sent as soon as possible.
 *
 * @returns the id of its event at the service, 32 hex digits; known at once, before it is sent
 */
export function captureException(
  error: unknown,
  source: ErrorSource,
  event?: BrowserErrorEvent,
): string {
  // A thrown text or number is never found: a WeakMap can't hold it.
  const known = references.get(error as WeakKey);
  if (known) return known;
  // The clock of `performance` stands still while the machine sleeps, so it gives the event's age alone.
  const at = Date.now() - (event ? performance.now() - event.timeStamp : 0);
  const reference = newId();
  if (Object(error) === error) references.set(error as WeakKey, reference);
  if (count++ < maxErrors) {
    // The visitor may be on another page by the time the error is sent.
    const page = { route: errorRoute(source), url: location.href };
    queue.push({ error, source, at, reference, ...page, event });
  }
  onQueued();
  return reference;
}

/** An id of an event or a trace at the service: 32 hex digits. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Takes all errors out of the queue, oldest first. */
export function takeErrors(): ReportedError[] {
  return queue.splice(0);
}

/**
 * Calls this listener, and no other, when errors are in the queue: now, or after the next one.
 *
 * @param counted errors of the page load so far; -Infinity lifts the limit
 */
export function onErrorQueued(listener: () => void, counted = count): void {
  onQueued = listener;
  count = counted;
  if (queue.length > 0) listener();
}
