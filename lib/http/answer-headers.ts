import { subscribe } from "node:diagnostics_channel";
import type { ServerResponse } from "node:http";
import { everywhere } from "./headers.js";

/**
 * From now on every answer has the headers that belong everywhere. The header rules in
 * next.config.js come too late for some: Next answers a malformed URL before it looks at them, and
 * the relay answers before Next does.
 */
export function sendHeadersEverywhere(): void {
  const headers = new Map(Object.entries(everywhere));
  subscribe("http.server.request.start", (message) => {
    (message as { response: ServerResponse }).response.setHeaders(headers);
  });
}
