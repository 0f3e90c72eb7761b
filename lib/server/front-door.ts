import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, Server, ServerResponse } from "node:http";

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Has requests for one path answered by `handle` before the process's HTTP servers hand them to
 * Next, whose way to an API route costs more than all that the relay does. The route under
 * pages/api gives the same answers where this is not in place.
 *
 * Next gives no way to its HTTP server, but Node tells of the first request before it is handed on.
 *
 * @param path with the base path, without query
 * @param handle must not reject
 */
export function openFrontDoor(path: string, handle: Handler): void {
  const known = new WeakSet<Server>();
  subscribe("http.server.request.start", (message) => {
    const { server } = message as { server: Server };
    if (known.has(server)) return;
    known.add(server);
    const others = server.rawListeners("request");
    server.removeAllListeners("request");
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      if (isFor(path, request.url)) void handle(request, response);
      else for (const listener of others) listener.call(server, request, response);
    });
  });
}

function isFor(path: string, url = ""): boolean {
  return url.startsWith(path) && (url.length === path.length || url[path.length] === "?");
}
