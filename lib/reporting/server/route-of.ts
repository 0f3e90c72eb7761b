import type { IncomingMessage } from "node:http";

/** Where Next keeps what it found out about a request: next/dist/server/request-meta.js */
const requestMeta = Symbol.for("NextInternalRequestMeta");

type WithMeta = { [requestMeta]?: { invokeOutput?: unknown; initURL?: unknown } };

/**
 * The pattern of the route that answered, without locale and base path, page and page data alike.
 *
 * @param request as the HTTP server made it, after Next has routed it
 * @returns `/dynamic/[id]`, or nothing for what no page or API route answered: files, redirects,
 *   404s, malformed URLs
 */
export function routeOf(request: IncomingMessage): string | undefined {
  const meta = (request as WithMeta)[requestMeta];
  const output = meta?.invokeOutput;
  return typeof output === "string" && !output.startsWith("/_next/") ? output : undefined;
}

/**
 * The path and query that were asked for, with base path and locale prefix, which Next takes out
 * of the request's own URL on its way.
 */
export function askedUrlOf(request: IncomingMessage): string {
  const asked = (request as WithMeta)[requestMeta]?.initURL;
  if (typeof asked !== "string" || !URL.canParse(asked)) return request.url ?? "/";
  const { pathname, search } = new URL(asked);
  return pathname + search;
}
