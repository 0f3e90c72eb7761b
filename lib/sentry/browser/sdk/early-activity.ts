import {
  addBreadcrumb,
  type Breadcrumb,
  getIsolationScope,
  type Span,
  setHttpStatus,
  startInactiveSpan,
} from "@sentry/browser";
import { resourceTimingToSpanAttributes } from "@sentry/browser-utils";
import { getBreadcrumbLogLevelFromHttpStatusCode } from "@sentry/core";
import { type PageRequest, requests } from "@/lib/sentry/browser/first-load/requests";
import type { EarlyMoment } from "@/lib/sentry/browser/first-load/watch-errors";

/** As scripts mostly write it. */
function addressOf({ url }: PageRequest): string {
  return (url.origin === location.origin ? "" : url.origin) + url.pathname;
}

/** Seconds since the epoch. */
function epoch(sincePageLoad: number): number {
  return (performance.timeOrigin + sincePageLoad) / 1000;
}

/**
 * What the browser tells of a request besides, if it has kept that. An entry begins with the request,
 * or a moment later.
 */
function timingOf({ url, start, end = start }: PageRequest) {
  const entries = performance.getEntriesByName(url.href, "resource") as PerformanceResourceTiming[];
  return entries.find(({ startTime }) => startTime >= start - 1 && startTime <= end);
}

/**
 * Spans, as the SDK makes them of later requests.
 *
 * @param from seconds since the epoch
 * @param until before which they began
 */
export function traceRequests(parentSpan: Span, from: number, until: number): void {
  for (const request of requests) {
    const { type, method, url, start, end, status } = request;
    const startTime = epoch(start);
    if (end === undefined || startTime < from || startTime >= until) continue;
    const timing = timingOf(request);
    const attributes = {
      "sentry.origin": "auto.http.browser",
      type,
      "http.request.method": method,
      "server.address": url.host,
      "url.domain": url.hostname,
      "url.full": url.href,
      "url.query": url.search.slice(1) || undefined,
      "http.response.body.size": timing?.encodedBodySize || undefined,
      ...(timing && resourceTimingToSpanAttributes(timing)),
    } as const;
    const name = `${method} ${addressOf(request)}`;
    const span = startInactiveSpan({ name, op: "http.client", startTime, attributes, parentSpan });
    if (status) setHttpStatus(span, status);
    else span.setStatus({ code: 2, message: "internal_error" });
    span.end(epoch(end));
  }
}

/**
 * Adds the SDK's breadcrumbs for what happened before it ran. The app's own are added anew: the team's
 * `beforeBreadcrumb` sees them now.
 */
export function leaveBreadcrumbs(moments: readonly EarlyMoment[], loadedPath: string): void {
  const own = getIsolationScope().getScopeData().breadcrumbs;
  getIsolationScope().clearBreadcrumbs();
  const asked = requests.flatMap((request): Breadcrumb[] => {
    const { type, method, start, end, status } = request;
    // One under way is heard by the SDK neither: it began before.
    const level = end && !status ? "error" : getBreadcrumbLogLevelFromHttpStatusCode(status);
    const data = { method, url: addressOf(request), status_code: status };
    return [{ category: type, type: "http", level, data, timestamp: epoch(end ?? start) }];
  });
  const crumbs: Breadcrumb[] = [...own, ...asked];
  let from = loadedPath;
  for (const moment of moments) {
    const timestamp = moment.at / 1000;
    if (!("stages" in moment)) {
      crumbs.push({ category: "ui.click", message: moment.clicked, timestamp });
    } else if (moment.stages.at(-1) === "history") {
      crumbs.push({ category: "navigation", data: { from, to: moment.url }, timestamp });
      from = moment.url;
    }
  }
  crumbs.sort((a, b) => (a.timestamp ?? 0) - (b.timestamp ?? 0));
  for (const crumb of crumbs) addBreadcrumb(crumb);
}
