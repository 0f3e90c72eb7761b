import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { log, oncePerMinute } from "../log.ts";

/** A request that one of the process's HTTP servers has just begun to handle. */
export interface StartedRequest {
  request: IncomingMessage;
  response: ServerResponse;
  server: Server;
}

/** Prepares a request before Next sees it. Must not respond, and should not throw. */
export type RequestHook = (started: StartedRequest) => void;

/**
 * Runs the hooks, in order, for each request that any HTTP server of this process receives from now
 * on. Next gives no access to its server, but Node publishes each request before it emits the
 * server's event. A hook that throws is logged and left out: the hooks after it still run, and what
 * it threw does not become an uncaught exception.
 * Source: https://nodejs.org/api/diagnostics_channel.html#http
 */
export function onEachRequest(hooks: readonly RequestHook[]): void {
  const logFailure = oncePerMinute(log);
  subscribe("http.server.request.start", (message) => {
    const started = message as StartedRequest;
    for (const hook of hooks) {
      try {
        hook(started);
      } catch (error) {
        logFailure("error", "request hook failed", { hook: hook.name, cause: String(error) });
      }
    }
  });
}
