import {
  type BrowserClient,
  getCurrentScope,
  startBrowserTracingNavigationSpan,
  startBrowserTracingPageLoadSpan,
  startInactiveSpan,
} from "@sentry/browser";
import {
  type PropagationContext,
  propagationContextFromHeaders,
  type Span,
  type TransactionEvent,
} from "@sentry/core";
import { onNavigation } from "@/lib/navigation/lifecycle";
import type { EarlyMoment } from "@/lib/reporting/browser/first-load/early-moments";
import { currentRoute, patternOfUrl } from "@/lib/reporting/browser/first-load/error-route";
import { joinTrace, takePageLoad } from "@/lib/reporting/browser/first-load/visit";

/** As the SDK for Next names spans by route, but for the query, which may be private. */
function byRoute(route: string) {
  return { "sentry.segment.name.source": "route", "url.template": route } as const;
}

const pageLoadOrigin = { "sentry.origin": "auto.pageload.nextjs.pages_router_instrumentation" };
const navigationOrigin = { "sentry.origin": "auto.navigation.nextjs.pages_router_instrumentation" };

/** Continues the trace of the server's request, if the page names one; otherwise begins a new one. */
export function continueTrace(): PropagationContext {
  const context = propagationContextFromHeaders(
    metaContent("sentry-trace"),
    metaContent("baggage"),
  );
  // What leaves without the SDK from now on belongs to the same trace.
  joinTrace(context.traceId);
  getCurrentScope().setPropagationContext(context);
  return context;
}

function metaContent(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content;
}

/**
 * Tells the service the sample rate of visits, by which it multiplies. Within a sampled visit the SDK
 * samples everything, so it would tell 1.
 *
 * @param sampleRate of visits, 0 to 1
 */
export function tellSampleRate(client: BrowserClient, sampleRate: number | string): void {
  client.on("createDsc", (dsc) => {
    if (dsc.sample_rate) dsc.sample_rate = String(sampleRate);
  });
}

/**
 * Makes a span for the page load and each client navigation, named by route pattern. The SDK's own
 * spans are named by URL, because `@sentry/browser` does not know Next's routes.
 *
 * @param moments what happened before the SDK ran; its navigations get their spans now
 */
export function traceNavigations(client: BrowserClient, moments: readonly EarlyMoment[]): void {
  const { page } = window.__NEXT_DATA__;
  const load = startBrowserTracingPageLoadSpan(client, {
    name: page,
    attributes: { ...byRoute(page), ...pageLoadOrigin },
  });
  if (load) joinTrace(load.spanContext().traceId);
  traceEarlier(moments);

  // A page out of the back/forward cache is no second page load.
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    const restored = { "browser.navigation.type": "back-forward-cache" };
    startNavigation(client, currentRoute(), location.href, restored);
  });
  let span: Span | undefined;
  onNavigation(({ url, stages, shallow }) => {
    const stage = stages.at(-1);
    if (shallow) return;
    if (stage === "start") span = startNavigation(client, patternOfUrl(url), url);
    else if (stage === "complete") nameByRoute(span);
    else if (stage === "error") span?.setStatus({ code: 2, message: "internal_error" });
    else if (stage === "cancelled") span?.setStatus({ code: 2, message: "cancelled" });
  });
}

function startNavigation(
  client: BrowserClient,
  name: string,
  url: string,
  attributes?: Record<string, string>,
): Span | undefined {
  return startBrowserTracingNavigationSpan(
    client,
    { name, attributes: { ...byRoute(name), ...navigationOrigin, ...attributes } },
    { url: new URL(url, location.href).href },
  );
}

function nameByRoute(span: Span | undefined): void {
  const route = currentRoute();
  // A new name counts as made up by the app until it is said to be a route's.
  span?.updateName(route).setAttributes(byRoute(route));
  getCurrentScope().setTransactionName(route);
}

function traceEarlier(moments: readonly EarlyMoment[]): void {
  let start: EarlyMoment | undefined;
  for (const moment of moments) {
    if (!("stages" in moment) || moment.shallow) continue;
    if (moment.stages.at(-1) === "start") start = moment;
    else if (moment.stages.at(-1) === "complete" && start) {
      startInactiveSpan({
        name: moment.route,
        op: "navigation",
        startTime: start.at / 1000,
        forceTransaction: true,
        parentSpan: null,
        attributes: {
          ...byRoute(moment.route),
          ...navigationOrigin,
        },
      }).end(moment.at / 1000);
    }
  }
}

/** The SDK sends no CLS if nothing has shifted, although that is the best score. */
function noShift(): TransactionEvent["measurements"] {
  const watched = PerformanceObserver.supportedEntryTypes.includes("layout-shift");
  return watched ? { cls: { value: 0, unit: "" } } : {};
}

/**
 * Ends the page-load span at the load event. The SDK runs later, and would end it later too. What
 * began after it, such as prefetches, is no part of it. For `beforeSendTransaction`.
 *
 * @returns nothing if the page load has been measured without the SDK: the visitor left before the
 *   SDK sent it, and what is sent then must be small
 */
export function endPageLoad(event: TransactionEvent): TransactionEvent | null {
  if (event.contexts?.trace?.op !== "pageload") return event;
  if (!takePageLoad()) return null;
  const [load] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (!load?.loadEventEnd) return event;
  const end = (performance.timeOrigin + load.loadEventEnd) / 1000;
  const measurements = { ...noShift(), ...event.measurements };
  const spans = event.spans
    ?.filter(({ start_timestamp }) => start_timestamp < end)
    .map((span) => ({ ...span, timestamp: Math.min(span.timestamp ?? end, end) }));
  return { ...event, timestamp: end, measurements, spans };
}
