import { sampleRand } from "../../shared/sample-rand.ts";
import type { ClientOptions } from "../client-options.ts";
import { newId } from "./error-queue.ts";
import { storeReport } from "./report-store.ts";
import { watchRequests } from "./requests.ts";
import { fetchSettings } from "./settings.ts";
import { type LoadEntry, readVitals } from "./vitals.ts";
import {
  decision,
  metaContent,
  minimalEnvelope,
  onLeave,
  post,
  sendAtOnce,
  sentryTrace,
  traceContext,
  traceId,
} from "./without-sdk.ts";

/** By the time the visit ends, the visitor may be on another page. */
const pageUrl = location.origin + location.pathname;

let sampled = decision ? decision === "1" : undefined;
let timesTaken = 0;

/**
 * Whether the visit is measured, with all that happens in it. The server has decided that if it
 * rendered the page for this visit. Otherwise this fetches the settings and goes by their sample rate.
 */
export async function isVisitSampled(): Promise<boolean> {
  if (sampled === undefined) {
    const { tracesSampleRate } = await fetchSettings();
    // As the tunnel decides, where the page has been hidden before.
    sampled = sampleRand(traceId) < tracesSampleRate;
  }
  return sampled;
}

/** @returns true for the first caller alone: it measures the page load */
export function takePageLoad(): boolean {
  return timesTaken++ === 0;
}

/**
 * Measures a sampled visit that ends before the SDK has sent its page load, when the page is first
 * hidden or left. Where the server has not decided whether it is, a rate of the app's own does. Where
 * the page doesn't know yet, the tunnel decides.
 */
export function measureVisit({ tracesSampleRate, tracesSampler }: ClientOptions = {}): void {
  if (tracesSampleRate !== undefined) sampled ??= Math.random() < tracesSampleRate;
  // What leaves without the SDK can't ask the app's sampler.
  if (tracesSampler) return;
  onLeave(() => {
    if (sampled === false || !takePageLoad()) return;
    // Not stored where nobody has decided: a later page would load the SDK for what the tunnel may drop.
    sendAtOnce(minimalEnvelope(pageLoad(), sampled), sampled ? storeReport : post);
  });
}

/** Of Sentry's option `tracePropagationTargets`. */
type Targets = readonly (string | RegExp)[];

/**
 * By default page data alone: Next's router asks for it with a header of its own, and no server
 * redirects it to another origin. Any other request may be redirected to one, as a download is to a
 * storage: for the headers of a trace the browser would then ask that origin first, and it refuses them.
 */
export let tracePropagationTargets: Targets = [/^(\/.*)?\/_next\/data\//];

/**
 * Notes the requests of the page's scripts. Those that are listed carry the trace of the visit to the
 * server, if the server has decided on it: until the SDK does so, by `fetch` alone.
 *
 * @param targets Sentry's option `tracePropagationTargets`, for the SDK too
 */
export function watchPageRequests(targets = tracePropagationTargets): void {
  tracePropagationTargets = targets;
  watchRequests((url, given) => {
    if (!decision || given.has("sentry-trace") || !isTarget(new URL(url))) return undefined;
    const baggage = [given.get("baggage"), metaContent("baggage")].filter(Boolean).join();
    return { "sentry-trace": sentryTrace, ...(baggage && { baggage }) };
  });
}

/** As the SDK understands the option. */
function isTarget({ href, origin, pathname }: URL): boolean {
  return tracePropagationTargets.some((target) =>
    typeof target === "string"
      ? href.includes(target)
      : target.test(href) || (origin === location.origin && target.test(pathname)),
  );
}

/**
 * The transaction of the page load up to now. The tunnel completes it.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/
 */
function pageLoad() {
  const { timeOrigin: start } = performance;
  const now = performance.now();
  // Browsers that resist fingerprinting have none, and in some its times are nonsense.
  const [load = {}] = performance.getEntriesByType("navigation") as LoadEntry[];
  return {
    event_id: newId(),
    type: "transaction" as const,
    transaction: window.__NEXT_DATA__.page,
    start_timestamp: start / 1000,
    timestamp: (start + Math.min(load.loadEventEnd || now, now)) / 1000,
    request: { url: pageUrl },
    contexts: { trace: traceContext() },
    status: load.responseStatus,
    measurements: readVitals(load),
  };
}
