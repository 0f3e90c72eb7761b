import {
  type BrowserClient,
  type BrowserOptions,
  browserTracingIntegration,
  type Event,
  getCurrentScope,
  instrumentOutgoingRequests,
  type Span,
  setHttpStatus,
  startBrowserTracingNavigationSpan,
  startBrowserTracingPageLoadSpan,
  startInactiveSpan,
} from "@sentry/browser";
import { type PropagationContext, propagationContextFromHeaders } from "@sentry/core";
import type { EarlyActivity, EarlyNavigation } from "../first-load/activity.ts";
import { patternOfUrl } from "../first-load/error-route.ts";
import { currentRoute, type Navigation, onNavigation } from "../first-load/navigation.ts";
import { takePageLoad } from "../first-load/visit.ts";
import { metaContent, sentryTrace } from "../first-load/without-sdk.ts";
import { traceRequests } from "./early-activity.ts";

/** Seconds since the epoch. */
const sdkStart = Date.now() / 1000;

/*
 * Page loads and navigations are Sentry's own spans. Their names and times are not: the SDK for Next
 * knows no base path and no languages, tells all values of the query, and would begin with its own
 * start. It also costs the first load a kilobyte.
 */

/**
 * @param traceXHR whether an `XMLHttpRequest` carries the headers of the trace, too: only where the app lists
 *   what may. One that fails, because it was redirected to another origin, can't be asked again, see
 *   first-load/requests.ts
 */
export function tracing(traceXHR: boolean) {
  return browserTracingIntegration({
    traceXHR,
    instrumentPageLoad: false,
    instrumentNavigation: false,
    instrumentBfcacheRestore: false,
    // interaction.ts sends it.
    webVitals: { ignore: ["inp"] },
    beforeStartSpan(options) {
      // The SDK would begin another trace for a page that the server has given none.
      if (options.op === "pageload") continueTrace();
      return options;
    },
  });
}

/** Makes spans of what is asked by `XMLHttpRequest`, without the headers of the trace. */
export function traceXhr(client: BrowserClient): void {
  instrumentOutgoingRequests(client, { traceFetch: false, tracePropagationTargets: [] });
}

/** Goes on with the trace of the visit: that of the server's request, or the one that the page began. */
export function continueTrace(): PropagationContext {
  const context = propagationContextFromHeaders(sentryTrace, metaContent("baggage"));
  if (!context.parentSpanId) delete context.dsc;
  getCurrentScope().setPropagationContext(context);
  return context;
}

/** By it the SDK names what happens on a page, as the SDK for Next does. */
export const routeProvider: NonNullable<BrowserOptions["routeProvider"]> = {
  resolveRoute: ({ pathname }) => patternOfUrl(pathname),
  resolveCurrentRoute: currentRoute,
};

function loadTiming(): Partial<PerformanceNavigationTiming> {
  return performance.getEntriesByType("navigation")[0] ?? {};
}

/** The URL of the page that was loaded: the visitor may be on another one by now. */
export function loadedUrl(): string {
  return loadTiming().name ?? location.href;
}

function named(route: string | undefined) {
  if (route === undefined) return { "sentry.segment.name.source": "url" } as const;
  return { "sentry.segment.name.source": "route", "url.template": route } as const;
}

/** Those of page loads and navigations. The SDK gives them to errors, too. */
export const transactionNames = new Set<string>();

/** As the SDK for Next has it: by its path, where the pattern is not known. */
function spanOptions(op: "pageload" | "navigation", route: string | undefined, url: string) {
  const { href, pathname } = new URL(url, location.href);
  const attributes = {
    "sentry.origin": `auto.${op}.nextjs.pages_router_instrumentation`,
    ...named(route),
    "url.full": href,
    "url.path": pathname,
  } as const;
  const name = route ?? pathname;
  transactionNames.add(name);
  return { name, op, attributes };
}

/**
 * Makes a span for the page load and each client navigation, named by route pattern.
 *
 * @param activities what happened before the SDK ran; its navigations get their spans now
 */
export function traceNavigations(
  client: BrowserClient,
  activities: readonly EarlyActivity[],
): void {
  const { page } = window.__NEXT_DATA__;
  const route = (page === "/_error" && patternOfUrl(loadedUrl())) || page;
  const options = spanOptions("pageload", route, loadedUrl());
  const load = startBrowserTracingPageLoadSpan(client, options);
  const { responseStatus = 0 } = loadTiming();
  if (load && responseStatus >= 400) setHttpStatus(load, responseStatus);
  let span = traceEarlier(client, activities);
  client.on("beforeIdleSpanEnd", (ending) => {
    if (ending === load) traceRequests(load, 0, Math.min(leftAt(activities) / 1000, sdkStart));
  });

  // A page out of the back/forward cache is no second page load.
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    startNavigation(client, currentRoute(), location.href)?.setAttributes({
      "sentry.origin": "auto.navigation.browser.bfcache",
      "browser.navigation.type": "back-forward-cache",
    });
  });
  onNavigation(({ url, stage, shallow }) => {
    if (shallow) return;
    if (stage === "start") span = startNavigation(client, patternOfUrl(url), url);
    else if (span) reach(span, stage, currentRoute());
  });
}

/** @param route of the page that the visitor is on */
function reach(span: Span, stage: Navigation["stage"], route: string): void {
  // A download meanwhile may have told it as cancelled.
  if (stage === "complete")
    span.updateName(route).setAttributes(named(route)).setStatus({ code: 0 });
  else if (stage === "error") span.setStatus({ code: 2, message: "internal_error" });
  else if (stage === "cancelled") span.setStatus({ code: 2, message: "cancelled" });
}

function startNavigation(
  client: BrowserClient,
  route: string | undefined,
  url: string,
  startTime = Date.now() / 1000,
): Span | undefined {
  const options = { ...spanOptions("navigation", route, url), startTime };
  return startBrowserTracingNavigationSpan(client, options, {
    url: options.attributes["url.full"],
  });
}

/** @returns the span of the navigation that is still under way, if one is */
function traceEarlier(
  client: BrowserClient,
  activities: readonly EarlyActivity[],
): Span | undefined {
  let start: EarlyNavigation | undefined;
  let outcome: EarlyNavigation | undefined;
  const end = () => {
    if (!start || !outcome) return;
    const [startTime, endTime] = [start.at / 1000, outcome.at / 1000];
    const options = spanOptions("navigation", patternOfUrl(start.url), start.url);
    const span = startInactiveSpan({
      ...options,
      startTime,
      forceTransaction: true,
      parentSpan: null,
    });
    reach(span, outcome.stage, outcome.route);
    traceRequests(span, startTime, endTime);
    span.end(endTime);
  };
  for (const activity of activities) {
    if (!("stage" in activity) || activity.shallow || activity.stage === "history") continue;
    if (activity.stage === "start") {
      end();
      start = activity;
      outcome = undefined;
    } else outcome = activity;
  }
  end();
  if (!start || outcome) return undefined;
  const { url, at } = start;
  const span = startNavigation(client, patternOfUrl(url), url, at / 1000);
  client.on("beforeIdleSpanEnd", (ending) => {
    if (ending === span) traceRequests(ending, at / 1000, sdkStart);
  });
  return span;
}

/** When the visitor left the page that was loaded, in milliseconds since the epoch; or Infinity. */
export function leftAt(activities: readonly EarlyActivity[]): number {
  return activities.find((activity) => "stage" in activity && !activity.shallow)?.at ?? Infinity;
}

/**
 * An event processor, which gives page loads, navigations and interactions the URL of their own page, and
 * page loads their true end.
 *
 * @returns nothing if the page load has been measured without the SDK: the visitor left before the
 *   SDK sent it, and what is sent then must be small
 */
export function completeTransaction(event: Event): Event | null {
  const { trace } = event.contexts ?? {};
  const isLoad = trace?.op === "pageload";
  if (
    event.type !== "transaction" ||
    !/^(pageload|navigation|ui.interaction)$/.test(trace?.op ?? "")
  )
    return event;
  if (isLoad && !takePageLoad()) return null;
  const url = (trace?.data?.["url.full"] as string | undefined) ?? event.request?.url;
  return { ...(isLoad ? endPageLoad(event) : event), request: { ...event.request, url } };
}

/** The origins of spans that the SDK makes by itself. */
const ofSdk = /^auto\.(browser|http|resource|ui\.(?!react))/;

/**
 * Ends the page-load span at the load event, or with the last that had begun by then. The SDK runs later,
 * and would end it later too. What began after it, such as prefetches, is no part of it, but for what has no
 * other place: the app's own spans, and what its scripts have measured and asked for until the SDK was there.
 */
function endPageLoad(event: Event): Event {
  const { loadEventEnd } = loadTiming();
  // Some browsers have times that are still to come.
  if (!loadEventEnd || loadEventEnd > performance.now()) return event;
  const loaded = (performance.timeOrigin + loadEventEnd) / 1000;
  const begun = event.spans?.filter(({ start_timestamp }) => start_timestamp < loaded) ?? [];
  const end = Math.max(loaded, ...begun.map(({ timestamp = 0 }) => timestamp));
  const spans = event.spans?.filter(
    ({ start_timestamp, op, origin, description = "" }) =>
      start_timestamp < loaded ||
      !ofSdk.test(origin ?? "") ||
      op === "measure" ||
      (op === "http.client" && start_timestamp < sdkStart && !description.includes("/_next/data/")),
  );
  // The SDK sends no CLS if nothing has shifted, although that is the best score.
  const watched = globalThis.PerformanceObserver?.supportedEntryTypes?.includes("layout-shift");
  const measurements = { ...(watched && { cls: { value: 0, unit: "" } }), ...event.measurements };
  return { ...event, timestamp: end, measurements, spans };
}
