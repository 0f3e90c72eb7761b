import {
  type BrowserClient,
  type BrowserOptions,
  getCurrentScope,
  startBrowserTracingNavigationSpan,
  startBrowserTracingPageLoadSpan,
  startInactiveSpan,
} from "@sentry/browser";
import { onNavigation } from "@/lib/navigation/lifecycle";
import type { EarlyMoment } from "./early-moments";
import { currentRoute, patternOfUrl } from "./error-route";

type TransactionEvent = Parameters<NonNullable<BrowserOptions["beforeSendTransaction"]>>[0];
type Span = ReturnType<typeof startInactiveSpan>;

const byRoute = { "sentry.segment.name.source": "route" } as const;

/**
 * Makes a span for the page load and each client navigation, named by route pattern. The SDK's own
 * spans are named by URL, because `@sentry/browser` does not know Next's routes.
 *
 * @param moments what happened before the SDK ran; its navigations get their spans now
 */
export function traceNavigations(client: BrowserClient, moments: readonly EarlyMoment[]): void {
  startBrowserTracingPageLoadSpan(client, {
    name: window.__NEXT_DATA__.page,
    attributes: { ...byRoute, "sentry.origin": "auto.pageload.signpost" },
  });
  traceEarlier(moments);

  let span: Span | undefined;
  onNavigation(({ url, stages, shallow }) => {
    const stage = stages.at(-1);
    if (shallow) return;
    if (stage === "start") {
      span = startBrowserTracingNavigationSpan(
        client,
        {
          name: patternOfUrl(url),
          attributes: { ...byRoute, "sentry.origin": "auto.navigation.signpost" },
        },
        { url: new URL(url, location.href).href },
      );
    } else if (stage === "complete") nameByRoute(span);
    else if (stage === "error") span?.setStatus({ code: 2, message: "internal_error" });
    else if (stage === "cancelled") span?.setStatus({ code: 2, message: "cancelled" });
  });
}

function nameByRoute(span: Span | undefined): void {
  const route = currentRoute();
  // A new name counts as made up by the app until it is said to be a route's.
  span?.updateName(route).setAttributes(byRoute);
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
        attributes: { ...byRoute, "sentry.origin": "auto.navigation.signpost" },
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
 * Ends the page-load span at the load event. The SDK runs later, and would end it later too. For
 * `beforeSendTransaction`.
 */
export function endPageLoad(event: TransactionEvent): TransactionEvent {
  if (event.contexts?.trace?.op !== "pageload") return event;
  const [load] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (!load?.loadEventEnd) return event;
  const end = (performance.timeOrigin + load.loadEventEnd) / 1000;
  const measurements = { ...noShift(), ...event.measurements };
  return { ...event, timestamp: end, measurements };
}
