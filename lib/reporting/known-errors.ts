import type { ErrorSignal } from "./head-script";

/**
 * The errors known so far, on their way to whoever reports them. Apart from what loads the SDK
 * (early.ts), so that pages and components can report without drawing it into their bundles.
 */

/** How an error came to be known. */
export type Source = "onerror" | "onunhandledrejection" | "boundary" | "navigation";

export interface KnownError {
  error: unknown;
  source: Source;
  /** Milliseconds since the epoch. */
  at: number;
  /** 32 hex digits: the id its event will have at the service. */
  reference: string;
  /** What the browser told of it, where it did. */
  signal?: ErrorSignal;
}

/** How an error came to be known, as its event says it: what the SDK itself sees, in its words. */
export function mechanismOf({ source, signal }: KnownError): string {
  return `${signal ? "auto.browser.global_handlers" : "signpost"}.${source}`;
}

/** What takes an error on. */
export type Reporter = (known: KnownError) => void;

/** A page that throws in a loop is not worth more. */
const most = 50;

const waiting: KnownError[] = [];
let reporter: Reporter = (known) => {
  if (waiting.length < most) waiting.push(known);
};

/** One report for each error, however often and by whatever way it comes. */
const references = new WeakMap<WeakKey, string>();

/**
 * Reports an error, now or as soon as that is possible, if it has not been reported yet.
 *
 * @returns the id of its event at the service, 32 hex digits; known at once, whatever comes later
 */
export function reportError(error: unknown, source: Source, signal?: ErrorSignal): string {
  const before = isObject(error) && references.get(error);
  if (before) return before;
  const at = performance.timeOrigin + (signal?.timeStamp ?? performance.now());
  const known = { error, source, at, reference: eventId(), signal };
  if (isObject(error)) references.set(error, known.reference);
  reporter(known);
  return known.reference;
}

function isObject(thing: unknown): thing is object {
  return typeof thing === "object" && thing !== null;
}

function eventId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** From now on errors go to this reporter, first those that waited for one. */
export function reportTo(next: Reporter): void {
  reporter = next;
  for (const known of waiting.splice(0)) next(known);
}
