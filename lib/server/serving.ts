import { subscribe } from "node:diagnostics_channel";
import type { Server, ServerResponse } from "node:http";
import { processWide } from "@/lib/process-wide.js";

/** What the process's HTTP servers are doing. */
export interface Serving {
  /** Set once the process was asked to end: then it is no longer ready for new visitors. */
  draining: boolean;
  /** Requests that are being answered. */
  inFlight: number;
  servers: Set<Server>;
  /** Called whenever a request was answered, or its client has gone. */
  onAnswered?: () => void;
}

/** What this process's HTTP servers are doing. */
export function serving(): Serving {
  return processWide("serving", () => ({ draining: false, inFlight: 0, servers: new Set() }));
}

/**
 * Counts requests from now on. Next gives no way to its HTTP server, but Node tells of each
 * request and of the server that took it.
 */
export function watchServing(): void {
  const state = serving();
  const answered = () => {
    state.inFlight -= 1;
    state.onAnswered?.();
  };
  subscribe("http.server.request.start", (message) => {
    const { server, response } = message as { server: Server; response: ServerResponse };
    state.servers.add(server);
    state.inFlight += 1;
    response.once("close", answered);
    if (state.draining) response.setHeader("Connection", "close");
  });
}
