import type { IncomingMessage } from "node:http";

/** Where Next keeps what it found out about a request: next/dist/server/request-meta.js */
const requestMeta = Symbol.for("NextInternalRequestMeta");

/**
 * The pattern of the route that answered, without locale and base path, page and page data alike.
 *
 * @param request as the HTTP server made it, after Next has routed it
 * @returns `/dynamic/[id]`, or nothing for what no page or API route answered: files, redirects,
 *   404s, malformed URLs
 */
export function routeOf(request: IncomingMessage): string | undefined {
  const meta = (request as { [requestMeta]?: { invokeOutput?: unknown } })[requestMeta];
  const output = meta?.invokeOutput;
  return typeof output === "string" && !output.startsWith("/_next/") ? output : undefined;
}
