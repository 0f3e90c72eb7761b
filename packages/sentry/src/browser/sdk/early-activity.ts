import {
  addBreadcrumb,
  type Breadcrumb,
  getClient,
  getIsolationScope,
  type Scope,
  type Span,
  setHttpStatus,
  startInactiveSpan,
} from "@sentry/browser";
import { resourceTimingToSpanAttributes } from "@sentry/browser-utils";
import { getBreadcrumbLogLevelFromHttpStatusCode } from "@sentry/core";
import type { ClickedElement, EarlyActivity } from "../first-load/activity.ts";
import { type PageRequest, requests } from "../first-load/requests.ts";

/**
 * The requests of the page's scripts before the SDK. Of an `XMLHttpRequest` the browser's own timings
 * alone tell: they end with the 250th, and know no method, which mostly is GET.
 */
function earlyRequests() {
  const timings = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
  return [
    ...requests.map((request) => ({
      ...request,
      type: "fetch",
      failed: request.status === undefined,
    })),
    ...timings
      .filter(({ initiatorType }) => initiatorType === "xmlhttprequest")
      .map(({ name, startTime, responseEnd, responseStatus }) => ({
        type: "xhr",
        method: "GET",
        url: name,
        start: startTime,
        end: responseEnd,
        status: responseStatus || undefined,
        // Not each browser tells the status.
        failed: false,
      })),
  ];
}

/** As scripts mostly write it. */
function addressOf(url: URL): string {
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
function timingOf({ url, start, end = start }: Omit<PageRequest, "method">) {
  const entries = performance.getEntriesByName(url, "resource") as PerformanceResourceTiming[];
  return entries.find(({ startTime }) => startTime >= start - 1 && startTime <= end);
}

/**
 * Spans, as the SDK makes them of later requests.
 *
 * @param from seconds since the epoch
 * @param until before which they began
 */
export function traceRequests(parentSpan: Span, from: number, until: number): void {
  for (const request of earlyRequests()) {
    const { type, method, start, end, status, failed } = request;
    const url = new URL(request.url);
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
    const name = `${method} ${addressOf(url)}`;
    const span = startInactiveSpan({ name, op: "http.client", startTime, attributes, parentSpan });
    if (status) setHttpStatus(span, status);
    else if (failed) span.setStatus({ code: 2, message: "internal_error" });
    span.end(epoch(end));
  }
}

/**
 * Elements as the SDK words them for a breadcrumb: `div.card > button#buy`.
 * Source: https://github.com/getsentry/sentry-javascript/blob/11.5.0/packages/browser-utils/src/htmlTreeAsString.ts
 *
 * @param elements the innermost first
 */
export function elementPath(elements: readonly ClickedElement[]): string {
  let path = "";
  for (const element of elements) {
    if (!element[0]) break;
    const text = elementWords(element);
    const longer = path ? `${text} > ${path}` : text;
    if (text === "html" || (path && longer.length >= 80)) break;
    path = longer;
  }
  return path;
}

/** The attributes by which a breadcrumb names an element, in its order. */
const namedAttributes = ["id", "class", "aria-label", "type", "name", "title", "alt"];

function elementWords([tag, attributes = []]: ClickedElement): string {
  let words = String(tag).toLowerCase();
  const values = new Map(attributes);
  for (const name of namedAttributes) {
    const value = values.get(name);
    if (!value) continue;
    if (name === "id") words += `#${value}`;
    else if (name === "class") words += `.${value.split(/\s+/).join(".")}`;
    else words += `[${name}="${value}"]`;
  }
  return words;
}

/** Those of what happened before the SDK ran, as the team's `beforeBreadcrumb` has left them. */
const earlyBreadcrumbs: Breadcrumb[] = [];

/** The app's own, as the hook has left them: each is asked about once, and may be in several captures. */
const asked = new Map<Breadcrumb, Breadcrumb | null>();

/** @returns null for one that the team's `beforeBreadcrumb` drops, or throws for */
function throughHook(crumb: Breadcrumb): Breadcrumb | null {
  let left = asked.get(crumb);
  if (left === undefined) {
    const hook = getClient()?.getOptions().beforeBreadcrumb;
    try {
      left = hook ? hook(crumb) : crumb;
    } catch {
      left = null;
    }
    asked.set(crumb, left);
    // A replay has it, too.
    if (left) getClient()?.emit("beforeAddBreadcrumb", left);
  }
  return left;
}

/**
 * Gives a scope from before the SDK the breadcrumbs that it would have with the SDK.
 *
 * @param until seconds since the epoch: without those from later
 */
export function completeBreadcrumbs(
  scope: Scope,
  until = Infinity,
  own = scope.getScopeData().breadcrumbs,
): void {
  const left = own.flatMap((crumb) => throughHook(crumb) ?? []);
  const all = [...left, ...earlyBreadcrumbs].filter((crumb) => timeOf(crumb) <= until);
  scope.clearBreadcrumbs();
  addInOrder(all, (crumb) => addWithinBounds(scope, crumb));
}

/** As many as the team's option says. */
export function addWithinBounds(scope: Scope, crumb: Breadcrumb): void {
  scope.addBreadcrumb(crumb, getClient()?.getOptions().maxBreadcrumbs);
}

function timeOf({ timestamp = 0 }: Breadcrumb): number {
  return timestamp;
}

/** The SDK keeps the last ones that it is given. */
function addInOrder(crumbs: Breadcrumb[], add: (crumb: Breadcrumb) => void): void {
  for (const crumb of crumbs.sort((a, b) => timeOf(a) - timeOf(b))) add(crumb);
}

/** Adds the SDK's breadcrumbs for what happened before it ran. The app's own come through the team's hook now. */
export function leaveBreadcrumbs(activities: readonly EarlyActivity[], loadedPath: string): void {
  const scope = getIsolationScope();
  const own = scope.getScopeData().breadcrumbs;
  const crumbs = earlyRequests().map((request): Breadcrumb => {
    const { type, method, start, end, status, failed } = request;
    // One under way is heard by the SDK neither: it began before.
    const level = end && failed ? "error" : getBreadcrumbLogLevelFromHttpStatusCode(status);
    const data = { method, url: addressOf(new URL(request.url)), status_code: status };
    return { category: type, type: "http", level, data, timestamp: epoch(end ?? start) };
  });
  let from = loadedPath;
  for (const activity of activities) {
    const timestamp = activity.at / 1000;
    if (!("stage" in activity)) {
      crumbs.push({ category: "ui.click", message: elementPath(activity.clicked), timestamp });
    } else if (activity.stage === "history") {
      crumbs.push({ category: "navigation", data: { from, to: activity.url }, timestamp });
      from = activity.url;
    }
  }
  scope.clearBreadcrumbs();
  addInOrder(crumbs, addBreadcrumb);
  earlyBreadcrumbs.push(...scope.getScopeData().breadcrumbs);
  scope.clearBreadcrumbs();
  completeBreadcrumbs(scope, Infinity, own);
}
