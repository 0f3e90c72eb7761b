import type { Server } from "node:http";
import { processWide } from "@/lib/process-wide.js";
import type { RequestStep } from "./each-request";

/** What the HTTP servers of this process are doing. */
export interface Serving {
  /** Set once the process was told to stop: it is not ready for new visitors any more. */
  stopping: boolean;
  requestsInFlight: number;
  servers: Set<Server>;
  /** Called whenever a response is complete, or its client has disconnected. */
  onResponse?: () => void;
}

export function serving(): Serving {
  return processWide("serving", () => ({
    stopping: false,
    requestsInFlight: 0,
    servers: new Set(),
  }));
}

/** Counts the request until its response is complete, and remembers its server for the shutdown. */
export const countInFlight: RequestStep = ({ server, response }) => {
  const state = serving();
  state.servers.add(server);
  state.requestsInFlight += 1;
  response.once("close", finished);
  if (state.stopping) response.setHeader("Connection", "close");
};

function finished(): void {
  const state = serving();
  state.requestsInFlight -= 1;
  state.onResponse?.();
}
