import type { IncomingMessage } from "node:http";

/**
 * What Next knows about a request, read from its private metadata. This is the only file that does
 * so. Source: next/dist/server/request-meta.js
 */
const requestMeta = Symbol.for("NextInternalRequestMeta");

type WithMeta = { [requestMeta]?: { invokeOutput?: unknown; initURL?: unknown } };

/**
 * The pattern of the page or API route that answered, without locale and base path. The same for a
 * page and its data.
 *
 * @param request of the HTTP server, after Next has routed it
 * @returns such as `/dynamic/[id]`; nothing for files, redirects, 404s, malformed URLs and a middleware's answers
 */
export function routeOfRequest(request: IncomingMessage): string | undefined {
  const meta = (request as WithMeta)[requestMeta];
  const output = meta?.invokeOutput;
  // Empty for what a middleware has answered.
  return typeof output === "string" && /^\/(?!_next\/)/.test(output) ? output : undefined;
}

/**
 * The path and query that the client asked for, with base path and locale prefix. Next removes both
 * from the request's own URL.
 */
export function originalUrlOf(request: IncomingMessage): string {
  const original = (request as WithMeta)[requestMeta]?.initURL;
  if (typeof original !== "string" || !URL.canParse(original)) return request.url ?? "/";
  const { pathname, search } = new URL(original);
  return pathname + search;
}

/** Whether Next has got this request. */
export function reachedNext(request: IncomingMessage): boolean {
  return (request as WithMeta)[requestMeta] !== undefined;
}
