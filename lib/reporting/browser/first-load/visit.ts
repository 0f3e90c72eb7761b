import { newId } from "./report-error";
import { fetchSettings } from "./settings";
import { readVitals } from "./vitals";
import { incompleteEnvelope, onLeave, sendAtOnce } from "./without-sdk";

/** The trace of the server's request, if this page was rendered for this visit alone. */
const traceMeta = document.querySelector<HTMLMetaElement>("meta[name=sentry-trace]");
let [traceId = newId(), spanId, decision] = traceMeta?.content.split("-") ?? [];

/** By the time the visit ends, the visitor may be on another page. */
const { href } = location;

let sampled = decision ? decision === "1" : undefined;
let measured = false;
/** The longest interaction that has been sent, in milliseconds. */
let longestSent = 0;

/**
 * Whether the visit is measured, with all that happens in it: what the server has decided for its
 * page, or else by the sample rate in the settings, which are fetched for it.
 */
export async function isVisitSampled(): Promise<boolean> {
  if (sampled === undefined) {
    const { tracesSampleRate } = await fetchSettings();
    // Another call may have decided meanwhile.
    sampled ??= Math.random() < tracesSampleRate;
  }
  return sampled;
}

/** @param id of the trace in which the SDK reports errors: the visit's, whoever measures the page load */
export function joinTrace(id: string): void {
  traceId = id;
}

/**
 * The visit's interaction can be sent by the page as it is left, and by the SDK, again whenever there
 * was a longer one.
 *
 * @param duration of the visit's longest interaction, in milliseconds
 * @returns whether it is to be sent: it is longer than those that were
 */
export function takeInteraction(duration: number): boolean {
  const longer = duration > longestSent;
  if (longer) longestSent = duration;
  return longer;
}

/** @returns whether the page load is the caller's to measure: that of the first caller alone */
export function takePageLoad(): boolean {
  const free = !measured;
  measured = true;
  return free;
}

/**
 * Measures a sampled visit that ends before the SDK has sent its page load, when the page is first
 * hidden or left. Where the page doesn't know yet whether the visit is sampled, the relay decides.
 */
export function measureVisit(): void {
  onLeave(() => {
    if (sampled !== false && takePageLoad()) sendAtOnce(incompleteEnvelope(pageLoad(), sampled));
  });
}

/** The place in the visit's trace of what leaves the browser without the SDK. */
export function traceContext() {
  return { trace_id: traceId, span_id: newId().slice(16), parent_span_id: spanId };
}

/**
 * The transaction of the page load up to now. The relay completes it.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/
 */
function pageLoad() {
  const [load] = performance.getEntriesByType("navigation") as [PerformanceNavigationTiming];
  const start = performance.timeOrigin;
  return {
    event_id: newId(),
    type: "transaction" as const,
    platform: "javascript",
    transaction: window.__NEXT_DATA__.page,
    transaction_info: { source: "route" },
    start_timestamp: start / 1000,
    timestamp: (start + (load.loadEventEnd || performance.now())) / 1000,
    request: { url: href.replace(/[?#].*/, "") },
    contexts: {
      trace: { ...traceContext(), op: "pageload", origin: "auto.pageload.signpost" },
    },
    measurements: readVitals(load, takeInteraction),
  };
}
