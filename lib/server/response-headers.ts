import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";
import { everywhere } from "@/lib/http/headers.js";

/**
 * From now on every answer has the headers that belong everywhere. The header rules in
 * next.config.js come too late for some: Next answers a malformed URL before it looks at them, and
 * the relay answers before Next does; and those of page data come before it is known whether there
 * is any.
 */
export function sendHeadersEverywhere(): void {
  const headers = new Map(Object.entries(everywhere));
  subscribe("http.server.request.start", (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    response.setHeaders(headers);
    if (request.url?.includes("/_next/data/")) keepNoFailure(response);
  });
}

/** What is not there now may be there the next time: no browser is to keep that. */
function keepNoFailure(response: ServerResponse): void {
  const { writeHead } = response;
  response.writeHead = ((status: number, ...rest: []) => {
    if (status >= 400) response.setHeader("Cache-Control", "private, no-store");
    return writeHead.call(response, status, ...rest);
  }) as typeof writeHead;
}
