import type { IncomingMessage, ServerResponse } from "node:http";
import { type ErrorResponse, errorResponses, writeErrorResponse } from "@signpost/relay/http";
import type { RequestReporting, RequestStep } from "@signpost/sentry/server";
import { env } from "@/lib/config";
import { basePath } from "@/lib/navigation/location";
import {
  headersOfEveryResponse,
  headersOfPassingData,
  headersOfSharedData,
} from "@/lib/policy/headers";
import { closeFragmented } from "./connections";
import { refusePipelined, shedLoad } from "./load-shedding";
import { metrics } from "./metrics";

/**
 * Everything that happens to a request before Next sees it, in this order.
 *
 * @param reporting what the reporting does with each request
 */
export function requestSteps(
  { countInFlight, tunnel, pages }: RequestReporting,
  production: boolean,
): RequestStep[] {
  // In development, Next's own header rules are all that applies.
  if (!production) return [countInFlight, ...tunnel, ...pages, rejectDotSegments];
  return [
    // Before all that reads the address.
    toOriginForm,
    // Early, because a request that a later step answers is in flight as well.
    countInFlight,
    // Where nobody may read them, they cost nothing.
    ...(env().METRICS_TOKEN ? [metrics().measureRequest] : []),
    // Before anything answers. What does may still replace these headers.
    setHeaders,
    refusePipelined,
    refuseMalformed,
    ...tunnel,
    // After the tunnel and its settings, which keep no chunk uncounted: functions for each of their requests would
    // cost V8's collector much.
    closeFragmented,
    decideFreshness,
    // After the tunnel, which has limits of its own, so that reports still come in.
    shedLoad(),
    ...pages,
    // Last, because it changes the URL that the others read.
    rejectDotSegments,
  ];
}

/**
 * Takes the host out of a target that is a whole URL, as a proxy may send it. Next would redirect to
 * that host, whatever it is.
 */
export const toOriginForm: RequestStep = (request, _response, next) => {
  const target = request.url ?? "";
  if (isWebUrl(target)) {
    const { pathname, search } = new URL(target);
    request.url = pathname + search;
  }
  next();
};

const everyHeader = new Map(Object.entries(headersOfEveryResponse));
const sharedDataHeader = new Map(Object.entries(headersOfSharedData));
const passingDataHeader = new Map(Object.entries(headersOfPassingData));

/**
 * The header rules in next.config.js come too late for some responses: Next answers a malformed URL
 * before it applies them, and the tunnel answers before Next does.
 */
export const setHeaders: RequestStep = (_request, response, next) => {
  response.setHeaders(everyHeader);
  next();
};

/**
 * Sets how long caches may keep a response, once Next knows what it answers with, which header rules in
 * next.config.js can't. Of page data, neither browser nor router may store an error, since what is missing
 * now may exist soon, nor what an editor sees in draft mode: Next forbids that for pages, but not where a
 * draft redirects. No shared cache may keep a cookie for somebody else: Next ends a draft mode whose cookies
 * are not its own by a `Set-Cookie` beside `s-maxage=31536000`.
 */
export const decideFreshness: RequestStep = (request, response, next) => {
  const isData = pathOf(request).includes(dataFolder);
  const isDraft = request.headers.cookie?.includes("__prerender_bypass=");
  const { writeHead } = response;
  response.writeHead = ((status: number, ...rest: []) => {
    if (isData && (status >= 400 || isDraft)) response.setHeaders(passingDataHeader);
    else if (isData && isShared(response)) response.setHeaders(sharedDataHeader);
    if (response.hasHeader("Set-Cookie") && !isPrivate(response)) {
      response.setHeader("Cache-Control", "private, no-cache");
    }
    return writeHead.call(response, status, ...rest);
  }) as typeof writeHead;
  next();
};

const dataFolder = "/_next/data/";

/** Without the query, which may name any other path. */
function pathOf({ url = "" }: IncomingMessage): string {
  const [path = ""] = url.split("?", 1);
  return path;
}

function isPrivate(response: ServerResponse): boolean {
  return /\b(private|no-store)\b/i.test(String(response.getHeader("Cache-Control")));
}

/**
 * Next names its cache in each answer of a page that has `getStaticProps`, however that is written,
 * and lets shared caches store what it took from there. What a team's proxy.ts keeps from the router's
 * cache is not shared: it may answer otherwise the next time, as to somebody who has signed out.
 * Source: https://nextjs.org/docs/pages/guides/incremental-static-regeneration
 */
function isShared(response: ServerResponse): boolean {
  return (
    response.hasHeader("x-nextjs-cache") &&
    !response.hasHeader("x-middleware-cache") &&
    String(response.getHeader("Cache-Control")).startsWith("s-maxage")
  );
}

/** In bytes, since Node accepts nothing but ASCII. The longest address of the app is far shorter. */
export const maxTargetLength = 8 * 1024;

/** Refuses a request whose target Next can't take apart, or whose length would cost too much there. */
export const refuseMalformed: RequestStep = (request, response, next) => {
  const error = addressFault(request.url ?? "");
  if (error) void writeErrorResponse(request, response, error).catch(() => {});
  else next();
};

function addressFault(target: string): ErrorResponse | undefined {
  if (target.length > maxTargetLength) return targetTooLong;
  // A path, or a whole URL, as a proxy sends it. `OPTIONS *` asks of the server itself: no page does.
  if (target.startsWith("/") || isWebUrl(target)) return undefined;
  return malformedTarget;
}

function isWebUrl(target: string): boolean {
  return /^https?:/i.test(target) && URL.canParse(target);
}

const targetTooLong: ErrorResponse = {
  status: 414,
  error: "uri_too_long",
  detail: "The address is too long.",
};

const malformedTarget = errorResponses.malformed("This is not the address of a page.");

const dotName = /^(\.|%2e){1,2}\.json$/i;

/**
 * Makes page data of a page named `.` or `..` not found. The URL of a page can't end like that, but
 * that of page data can: Next then looks for another page, notices it, and throws.
 */
export const rejectDotSegments: RequestStep = (request, _response, next) => {
  const path = pathOf(request);
  const folderEnd = path.lastIndexOf("/");
  if (dotName.test(path.slice(folderEnd + 1))) {
    const data = path.toLowerCase().indexOf(dataFolder);
    if (data >= 0 && data + dataFolder.length <= folderEnd) {
      request.url = `${basePath}/_next/data/nothing`;
    }
  }
  next();
};
