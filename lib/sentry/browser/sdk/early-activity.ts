import { addBreadcrumb, type Breadcrumb, getIsolationScope } from "@sentry/browser";
import { htmlTreeAsString, resourceTimingToSpanAttributes } from "@sentry/browser-utils";
import {
  getBreadcrumbLogLevelFromHttpStatusCode,
  getSpanStatusFromHttpCode,
  type SpanJSON,
  type TraceContext,
} from "@sentry/core";
import { basePath, tunnelPath } from "@/lib/base/config/public";
import { newId } from "@/lib/sentry/browser/first-load/report-error";
import type { EarlyMoment } from "@/lib/sentry/browser/first-load/watch-errors";

/**
 * The requests of the page's scripts, from the browser's timings: of those before the SDK, nothing else
 * is known. Browsers keep 250 timings, and don't tell the method.
 */
function requests() {
  const timings = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
  return timings.flatMap((timing) => {
    const { initiatorType, name, startTime, responseEnd, responseStatus } = timing;
    const url = new URL(name);
    const own = [tunnelPath, `${basePath}/api/settings`].includes(url.pathname);
    if (own || !/^(fetch|xmlhttprequest)$/.test(initiatorType)) return [];
    return {
      timing,
      type: initiatorType === "fetch" ? "fetch" : "xhr",
      url,
      // As scripts mostly write it.
      address: (url.origin === location.origin ? "" : url.origin) + url.pathname,
      start: (performance.timeOrigin + startTime) / 1000,
      end: (performance.timeOrigin + responseEnd) / 1000,
      /** Nothing where the browser does not tell it. */
      status: responseStatus || undefined,
    };
  });
}

/**
 * Spans, as the SDK makes them of later requests. Their method is said to be GET, as most are.
 *
 * @param trace of the transaction that they belong to
 * @param from seconds since the epoch
 * @param until before which they began
 */
export function requestSpans(trace: TraceContext, from: number, until: number): SpanJSON[] {
  return requests()
    .filter(({ start }) => start >= from && start < until)
    .filter(({ address }) => trace.op !== "pageload" || !address.includes("/_next/data/"))
    .map(({ timing, type, url, address, start, end, status }) => ({
      span_id: newId().slice(16),
      parent_span_id: trace.span_id,
      trace_id: trace.trace_id,
      op: "http.client",
      origin: "auto.http.browser",
      description: `GET ${address}`,
      start_timestamp: start,
      timestamp: end,
      status: status && (getSpanStatusFromHttpCode(status).message ?? "ok"),
      data: {
        "sentry.op": "http.client",
        "sentry.origin": "auto.http.browser",
        type,
        "http.request.method": "GET",
        "http.response.status_code": status,
        "server.address": url.host,
        "url.domain": url.hostname,
        "url.full": url.href,
        "url.query": url.search.slice(1) || undefined,
        "http.response.body.size": timing.encodedBodySize || undefined,
        ...resourceTimingToSpanAttributes(timing),
      },
    })) as SpanJSON[];
}

/**
 * Adds the SDK's breadcrumbs for what happened before it ran. The app's own are added anew: the team's
 * `beforeBreadcrumb` sees them now.
 */
export function leaveBreadcrumbs(moments: readonly EarlyMoment[], loadedPath: string): void {
  const own = getIsolationScope().getScopeData().breadcrumbs;
  getIsolationScope().clearBreadcrumbs();
  const crumbs: Breadcrumb[] = [...own, ...requestCrumbs()];
  let from = loadedPath;
  for (const moment of moments) {
    const timestamp = moment.at / 1000;
    if (!("stages" in moment)) {
      const message = htmlTreeAsString(moment.clicked);
      crumbs.push({ category: "ui.click", message, timestamp });
    } else if (moment.stages.at(-1) === "history") {
      crumbs.push({ category: "navigation", data: { from, to: moment.url }, timestamp });
      from = moment.url;
    }
  }
  crumbs.sort((a, b) => (a.timestamp ?? 0) - (b.timestamp ?? 0));
  for (const crumb of crumbs) addBreadcrumb(crumb);
}

/** Breadcrumbs, as the SDK leaves them of later requests. */
function requestCrumbs() {
  return requests().map(({ type, address, end, status }) => ({
    category: type,
    type: "http",
    level: getBreadcrumbLogLevelFromHttpStatusCode(status),
    data: { url: address, status_code: status },
    timestamp: end,
  }));
}
