import { newId } from "./report-error";
import { fetchSettings } from "./settings";
import { readVitals } from "./vitals";
import { incompleteEnvelope, onLeave, sendAtOnce } from "./without-sdk";

/** The browser's own: reports are no part of what is reported. */
export const { fetch } = window;

/** What a `<meta>` of the page says: the server gives them to pages that it renders for one visit alone. */
export const metaContent = (name: string) =>
  document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content ?? "";

/**
 * The trace of the visit, as the header of this name has it: that of the server's request, or else a new
 * one, which nobody has decided on.
 */
export const sentryTrace = metaContent("sentry-trace") || newId();
const [traceId, spanId, decision] = sentryTrace.split("-");

/** By the time the visit ends, the visitor may be on another page. */
const pageUrl = location.origin + location.pathname;

let sampled = decision ? decision === "1" : undefined;
let timesTaken = 0;
/** The longest interaction that has been sent, in milliseconds. */
let longestSent = 0;

/**
 * Whether the visit is measured, with all that happens in it. The server has decided that if it
 * rendered the page for this visit. Otherwise this fetches the settings and goes by their sample rate.
 */
export async function isVisitSampled(): Promise<boolean> {
  if (sampled === undefined) {
    const { tracesSampleRate } = await fetchSettings();
    // Another call may have decided meanwhile.
    sampled ??= Math.random() < tracesSampleRate;
  }
  return sampled;
}

/**
 * Both the page, as it is left, and the SDK send the visit's longest interaction, and send again when
 * there was a longer one. This keeps them from sending the same one twice.
 *
 * @param duration of the visit's longest interaction so far, in milliseconds
 * @returns whether to send it: it is longer than any that was sent
 */
export function takeInteraction(duration: number): boolean {
  const longer = duration > longestSent;
  if (longer) longestSent = duration;
  return longer;
}

/** @returns true for the first caller alone: it measures the page load */
export function takePageLoad(): boolean {
  return timesTaken++ === 0;
}

/**
 * Measures a sampled visit that ends before the SDK has sent its page load, when the page is first
 * hidden or left. Where the page doesn't know yet whether the visit is sampled, the tunnel decides.
 */
export function measureVisit(): void {
  onLeave(() => {
    if (sampled !== false && takePageLoad()) sendAtOnce(incompleteEnvelope(pageLoad(), sampled));
  });
}

/**
 * Until the SDK does so itself, what the page asks of its own origin carries the trace of the visit to
 * the server, as the SDK's requests do. Only by `fetch`: an XMLHttpRequest begins a trace of its own.
 */
export function carryTrace(): void {
  window.fetch = async (...args) => {
    const request = new Request(...args);
    const { headers, url } = request;
    if (url.startsWith(`${location.origin}/`) && !headers.has("sentry-trace")) {
      headers.append("sentry-trace", sentryTrace);
      headers.append("baggage", metaContent("baggage"));
    }
    return fetch(request);
  };
}

/** The place in the visit's trace of what leaves the browser without the SDK. */
export function traceContext() {
  return { trace_id: traceId, span_id: newId().slice(16), parent_span_id: spanId };
}

/**
 * The transaction of the page load up to now. The tunnel completes it.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/
 */
function pageLoad() {
  const { timeOrigin: start } = performance;
  const [load] = performance.getEntriesByType("navigation") as [PerformanceNavigationTiming];
  return {
    event_id: newId(),
    type: "transaction" as const,
    transaction: window.__NEXT_DATA__.page,
    start_timestamp: start / 1000,
    timestamp: (start + (load.loadEventEnd || performance.now())) / 1000,
    request: { url: pageUrl },
    contexts: { trace: traceContext() },
    status: load.responseStatus,
    measurements: readVitals(load, takeInteraction),
  };
}
