import { type KnownError, reportError, reportTo } from "./known-errors";

/**
 * Reporting until the SDK is there. The SDK weighs more than all else on a page, so it comes after
 * the page has loaded, or at once with the first error; what happens before is kept, with its time,
 * and handed over.
 */
export function watchErrors(): void {
  addEventListener("error", onError);
  addEventListener("unhandledrejection", onRejection);
  reportTo(keep);
  if (document.readyState === "complete") whenIdle();
  else addEventListener("load", whenIdle, { once: true });
}

const kept: KnownError[] = [];
let loading: Promise<void> | undefined;

function keep(known: KnownError): void {
  kept.push(known);
  void loadReporting();
}

function onError(event: ErrorEvent): void {
  reportError(event.error, "onerror", event);
}

function onRejection({ reason }: PromiseRejectionEvent): void {
  reportError(reason, "onunhandledrejection");
}

function whenIdle(): void {
  // Safari has no requestIdleCallback.
  if ("requestIdleCallback" in window) requestIdleCallback(loadReporting, { timeout: 5000 });
  else setTimeout(loadReporting, 1000);
}

/** Fetches and starts the SDK, once; from then on it watches for errors itself. */
function loadReporting(): Promise<void> {
  loading ??= import("@/sentry.client.config").then(async ({ start }) => {
    const report = await start();
    removeEventListener("error", onError);
    removeEventListener("unhandledrejection", onRejection);
    for (const known of kept.splice(0)) report(known);
    reportTo(report);
  });
  return loading;
}
