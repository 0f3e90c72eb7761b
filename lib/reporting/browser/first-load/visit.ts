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

/** @param id of the trace that the SDK uses: what leaves without the SDK then belongs to it too */
export function joinTrace(id: string): void {
  traceId = id;
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
  const free = !measured;
  measured = true;
  return free;
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

/** The place in the visit's trace of what leaves the browser without the SDK. */
export function traceContext() {
  return { trace_id: traceId, span_id: newId().slice(16), parent_span_id: spanId };
}

/**
 * The transaction of the page load up to now. The tunnel completes it.
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
    contexts: { trace: { ...traceContext(), op: "pageload" } },
    measurements: readVitals(load, takeInteraction),
  };
}
