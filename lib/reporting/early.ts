/**
 * Reporting until the SDK is there. The SDK weighs more than all else on a page, so it comes after
 * the page has loaded, or at once with the first error; what happens before is kept here, with its
 * time, and handed over.
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
  /** The browser's own words and place, for what was thrown without an Error object. */
  event?: ErrorEvent;
}

/** What takes over once the SDK has come. */
export type Reporter = (known: KnownError) => void;

const waiting: KnownError[] = [];
let reporter: Reporter | undefined;
let loading: Promise<void> | undefined;

/**
 * Reports an error, now or as soon as that is possible.
 *
 * @returns the id of its event at the service, 32 hex digits; known at once, whatever comes later
 */
export function reportError(error: unknown, source: Source, event?: ErrorEvent): string {
  const known = { error, source, at: Date.now(), reference: eventId(), event };
  if (reporter) reporter(known);
  else {
    waiting.push(known);
    void loadReporting();
  }
  return known.reference;
}

function eventId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function onError(event: ErrorEvent): void {
  reportError(event.error, "onerror", event);
}

function onRejection({ reason }: PromiseRejectionEvent): void {
  reportError(reason, "onunhandledrejection");
}

/** Fetches and starts the SDK, once; from then on it watches for errors itself. */
function loadReporting(): Promise<void> {
  loading ??= import("@/sentry.client.config").then(async ({ start }) => {
    reporter = await start();
    removeEventListener("error", onError);
    removeEventListener("unhandledrejection", onRejection);
    waiting.splice(0).forEach(reporter);
  });
  return loading;
}

/** Begins to watch for errors, and has the SDK come once the page has loaded and is idle. */
export function watchErrors(): void {
  addEventListener("error", onError);
  addEventListener("unhandledrejection", onRejection);
  const whenIdle = () => {
    // Safari has no requestIdleCallback.
    if ("requestIdleCallback" in window) requestIdleCallback(loadReporting, { timeout: 5000 });
    else setTimeout(loadReporting, 1000);
  };
  if (document.readyState === "complete") whenIdle();
  else addEventListener("load", whenIdle, { once: true });
}
