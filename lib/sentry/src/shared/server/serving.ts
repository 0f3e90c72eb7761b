import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { singleton } from "../singleton.ts";
import type { RequestHook } from "./each-request.ts";

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
  return singleton("serving", () => ({
    stopping: false,
    requestsInFlight: 0,
    servers: new Set(),
  }));
}

/** Of each connection, the responses that are not complete, with what waits for them. */
const unanswered = new WeakMap<Socket, Map<ServerResponse, (() => void)[]>>();

/**
 * Calls back once the response is complete or its connection closed. A response that waits for an
 * earlier one of the same connection never emits `close` if the connection closes before its turn.
 */
export function whenAnswered(
  { socket }: IncomingMessage,
  response: ServerResponse,
  done: () => void,
): void {
  const open = openOn(socket);
  const waiting = open.get(response);
  if (waiting) {
    waiting.push(done);
    return;
  }
  open.set(response, [done]);
  response.once("close", () => finish(open, response));
}

/** How many requests of this connection wait for a response: more than one only if it pipelines. */
export function unansweredOn(socket: Socket): number {
  return unanswered.get(socket)?.size ?? 0;
}

function openOn(socket: Socket): Map<ServerResponse, (() => void)[]> {
  const known = unanswered.get(socket);
  if (known) return known;
  const open = new Map<ServerResponse, (() => void)[]>();
  unanswered.set(socket, open);
  socket.once("close", () => {
    for (const response of open.keys()) finish(open, response);
  });
  return open;
}

function finish(open: Map<ServerResponse, (() => void)[]>, response: ServerResponse): void {
  const waiting = open.get(response) ?? [];
  open.delete(response);
  for (const done of waiting) done();
}

/** Counts the request until it is answered, and remembers its server for the shutdown. */
export const countInFlight: RequestHook = ({ server, request, response }) => {
  const state = serving();
  state.servers.add(server);
  state.requestsInFlight += 1;
  whenAnswered(request, response, finished);
  if (state.stopping) response.setHeader("Connection", "close");
};

function finished(): void {
  const state = serving();
  state.requestsInFlight -= 1;
  state.onResponse?.();
}
