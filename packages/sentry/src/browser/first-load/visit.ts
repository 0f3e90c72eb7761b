import { sampleRand } from "../../shared/sample-rand.ts";
import type { ClientOptions } from "../client-options.ts";
import { newId } from "./error-queue.ts";
import { storeReport } from "./report-store.ts";
import { fetch, type watchRequests } from "./requests.ts";
import { type LoadEntry, readVitals } from "./vitals.ts";
import {
  decision,
  metaContent,
  minimalEnvelope,
  newSpanId,
  onLeave,
  post,
  sendAtOnce,
  sentryTrace,
  traceContext,
  traceId,
  tunnelPath,
} from "./without-sdk.ts";

/** By the time the visit ends, the visitor may be on another page. */
const pageUrl = location.href.replace(/[?#].*/, "");

/**
 * Whether the visit is measured, with all that happens in it: the rate, where the page has decided that by one;
 * `true`, where the server has. Nothing as long as nobody has.
 */
export let sampled: number | boolean | undefined = decision ? decision === "1" : undefined;
let timesTaken = 0;

/** Where the settings for this page's build are: `sdk/settings.ts` says what they hold. */
export function settingsUrl(): string {
  return `${tunnelPath}/settings?build=${encodeURIComponent(window.__NEXT_DATA__.buildId)}`;
}

/** A place in a trace, as the header has it: with the decision on the visit, if somebody has made it. */
export function traceHeader(trace: string): string {
  return `${trace}-${newSpanId()}${sampled === undefined ? "" : sampled ? "-1" : "-0"}`;
}

/** As the tunnel decides, where the page has been hidden before. */
function decide(rate: unknown): void {
  if (typeof rate === "number") sampled = sampled ?? (sampleRand(traceId) < rate && rate);
}

/**
 * Whether the visit is measured. The server has decided that if it rendered the page for this visit. Otherwise
 * the sample rate of the settings decides. Where that can't be had, it is open, and the tunnel decides as
 * the page is left.
 *
 * @param rate that one, if it is known
 * @returns `sampled`
 * @throws where nobody answers
 */
export async function isVisitSampled(rate?: number): Promise<typeof sampled> {
  decide(rate);
  if (sampled === undefined) {
    const answer = await fetch(settingsUrl());
    // A proxy may have answered, or a server of another version.
    if (answer.ok) decide((await answer.json()).tracesSampleRate);
  }
  return sampled;
}

/** Whether Replay records this tab, as it has stored itself: it goes on with each page. */
export function replaysTab(): boolean {
  try {
    return /"sampled":"session"/.test(sessionStorage.sentryReplaySession);
  } catch {
    // The browser forbids it.
    return false;
  }
}

/** @returns true for the first caller alone: it measures the page load */
export function takePageLoad(): boolean {
  return !timesTaken++;
}

/**
 * Measures a sampled visit that ends before the SDK has sent its page load, when the page is first
 * hidden or left. Where the server has not decided whether it is, a rate of the app's own does. Where
 * the page doesn't know yet, the tunnel decides.
 */
export function measureVisit({ tracesSampleRate, tracesSampler }: ClientOptions): void {
  decide(tracesSampleRate);
  // What leaves without the SDK can't ask the app's sampler.
  if (tracesSampler) return;
  onLeave(() => {
    if (sampled === false || !takePageLoad()) return;
    // Not stored where nobody has decided: a later page would load the SDK for what the tunnel may drop.
    sendAtOnce(minimalEnvelope(pageLoadEvent(), sampled), sampled ? storeReport : post);
  });
}

/**
 * The headers by which a request carries the trace of the visit to the server: until the SDK does so, by `fetch`
 * alone. Where nobody has decided whether the visit is sampled, they say nothing of it, and the server decides
 * by the trace's number, as the page will.
 *
 * @param targets Sentry's option `tracePropagationTargets`; by default, the page's own origin
 */
export function traceHeadersFor(
  targets: ClientOptions["tracePropagationTargets"],
): Parameters<typeof watchRequests>[0] {
  return (url, given) => {
    const { origin, pathname } = new URL(url);
    const isOwn = origin === location.origin;
    // As the SDK understands the option.
    const isTarget = (target: string | RegExp) =>
      typeof target === "string"
        ? url.includes(target)
        : target.test(url) || (isOwn && target.test(pathname));
    if (given.has("sentry-trace") || !(targets?.some(isTarget) ?? isOwn)) return undefined;
    const baggage = [given.get("baggage"), metaContent("baggage")].filter(Boolean).join();
    const trace = decision ? sentryTrace : traceHeader(traceId);
    return { "sentry-trace": trace, ...(baggage && { baggage }) };
  };
}

/**
 * The transaction of the page load up to now. The tunnel completes it.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/
 */
function pageLoadEvent() {
  const now = performance.now();
  // Browsers that resist fingerprinting have none, and in some its times are nonsense.
  const [load = {}] = performance.getEntriesByType("navigation") as LoadEntry[];
  return {
    event_id: newId(),
    type: "transaction" as const,
    transaction: window.__NEXT_DATA__.page,
    start_timestamp: performance.timeOrigin / 1000,
    timestamp: (performance.timeOrigin + Math.min(load.loadEventEnd || now, now)) / 1000,
    request: { url: pageUrl },
    contexts: { trace: traceContext() },
    status: load.responseStatus,
    measurements: readVitals(load),
  };
}
