import {
  addBreadcrumb,
  type Breadcrumb,
  getIsolationScope,
  type Span,
  setHttpStatus,
  startInactiveSpan,
} from "@sentry/browser";
import { htmlTreeAsString, resourceTimingToSpanAttributes } from "@sentry/browser-utils";
import { getBreadcrumbLogLevelFromHttpStatusCode } from "@sentry/core";
import { basePath, tunnelPath } from "@/lib/base/config/public";
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
 * @param from seconds since the epoch
 * @param until before which they began
 */
export function traceRequests(parentSpan: Span, from: number, until: number): void {
  for (const { timing, type, url, address, start, end, status } of requests()) {
    if (start < from || start >= until) continue;
    const attributes = {
      "sentry.origin": "auto.http.browser",
      type,
      "http.request.method": "GET",
      "server.address": url.host,
      "url.domain": url.hostname,
      "url.full": url.href,
      "url.query": url.search.slice(1) || undefined,
      "http.response.body.size": timing.encodedBodySize || undefined,
      ...resourceTimingToSpanAttributes(timing),
    } as const;
    const options = { name: `GET ${address}`, op: "http.client", startTime: start, attributes };
    const span = startInactiveSpan({ ...options, parentSpan });
    if (status) setHttpStatus(span, status);
    span.end(end);
  }
}

/**
 * Adds the SDK's breadcrumbs for what happened before it ran. The app's own are added anew: the team's
 * `beforeBreadcrumb` sees them now.
 */
export function leaveBreadcrumbs(moments: readonly EarlyMoment[], loadedPath: string): void {
  const own = getIsolationScope().getScopeData().breadcrumbs;
  getIsolationScope().clearBreadcrumbs();
  const asked = requests().map(({ type, address, end, status }) => ({
    category: type,
    type: "http",
    level: getBreadcrumbLogLevelFromHttpStatusCode(status),
    data: { url: address, status_code: status },
    timestamp: end,
  }));
  const crumbs: Breadcrumb[] = [...own, ...asked];
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
