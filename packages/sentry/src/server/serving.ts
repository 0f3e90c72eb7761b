import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { servedPort } from "../shared/environment/runtime.ts";
import { singleton } from "../shared/singleton.ts";
import { reachedNext } from "./next-request.ts";

/** What the servers of this process do on which Next serves pages. */
export interface Serving {
  /** Set once the process was told to stop: it is not ready for new visitors any more. */
  stopping: boolean;
  requestsInFlight: number;
  /** Those that are open, as far as they are known. */
  pageServers: Set<Server>;
  /** Called whenever a response is complete, or its client has disconnected. */
  onResponse?: () => void;
}

export function serving(): Serving {
  return singleton("serving", () => ({
    stopping: false,
    requestsInFlight: 0,
    pageServers: new Set(),
  }));
}

interface PageServerWatcher {
  prepare: (server: Server) => void;
  onConnection?: (socket: Socket, server: Server) => void;
  prepared: WeakSet<Server>;
}

/**
 * Tells of the servers that Next serves pages on, before they handle their first request. Others of the process
 * are left alone.
 *
 * Next gives no access to its server, but Node tells of each connection with its server, and of each request of
 * HTTP/1 before it is emitted.
 * Source: https://nodejs.org/api/diagnostics_channel.html#built-in-channels
 *
 * @param prepare each server, once
 * @param onConnection each of their connections
 */
export function onPageServer(
  prepare: PageServerWatcher["prepare"],
  onConnection?: PageServerWatcher["onConnection"],
): void {
  watchers().push({ prepare, onConnection, prepared: new WeakSet() });
}

function watchers(): PageServerWatcher[] {
  return singleton("page server watchers", () => {
    subscribe("net.server.socket", (message) => {
      const { socket } = message as { socket: Socket & { server?: Server } };
      // Those of HTTP/2 and HTTPS have no class in common with those of HTTP.
      const { server } = socket;
      if (server && server.listenerCount("request") > 0) tellOf(server, socket);
    });
    // A connection may have been handed to the server by another one.
    subscribe("http.server.request.start", (message) =>
      tellOf((message as { server: Server }).server),
    );
    return [];
  });
}

function tellOf(server: Server, socket?: Socket): void {
  if (servedPort() === undefined) lookForNext(server);
  if (!servesPages(server)) return;
  for (const { prepare, onConnection, prepared } of watchers()) {
    if (!prepared.has(server)) {
      prepared.add(server);
      prepare(server);
    }
    if (socket) onConnection?.(socket, server);
  }
}

/**
 * Whether Next serves pages on this server. The one that Next has made is known by its port. Of custom servers,
 * each may be it until a request of one of them has reached Next, and then those of which one has.
 */
export function servesPages(server: Server): boolean {
  const { pageServers } = serving();
  if (pageServers.has(server)) return true;
  const port = servedPort();
  if (port === undefined) return pageServers.size === 0;
  const address = server.address();
  const isOfNext = typeof address === "object" && address?.port === port;
  if (isOfNext) notePageServer(server);
  return isOfNext;
}

function notePageServer(server: Server): void {
  const { pageServers } = serving();
  pageServers.add(server);
  server.once("close", () => pageServers.delete(server));
}

const lookedAt = new WeakSet<Server>();

/** Notes a custom server once a request of it has reached Next: also where another one is known already. */
function lookForNext(server: Server): void {
  if (lookedAt.has(server)) return;
  lookedAt.add(server);
  const { emit } = server;
  server.emit = function (this: Server, ...args: [string, ...unknown[]]) {
    if (args[0] === "request" && !serving().pageServers.has(server)) {
      const [, request, response] = args as unknown as [string, IncomingMessage, ServerResponse];
      whenAnswered(request, response, () => {
        if (!reachedNext(request) || serving().pageServers.has(server)) return;
        notePageServer(server);
        tellOf(server);
      });
    }
    return Reflect.apply(emit, this, args);
  };
}

interface Unanswered {
  response: ServerResponse;
  waiting: (() => void)[];
}

/** Of each connection, the responses that are not complete, with what waits for them. Seldom more than one. */
const unanswered = new WeakMap<Socket, Unanswered[]>();

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
  const known = open.find((one) => one.response === response);
  if (known) {
    known.waiting.push(done);
    return;
  }
  const one = { response, waiting: [done] };
  open.push(one);
  response.once("close", () => finish(open, one));
  // Next adds ten where it hands a request to another server, and the request's trace one: Node would warn of a leak.
  const max = response.getMaxListeners();
  // 0 stands for any number.
  if (max > 0) response.setMaxListeners(max + 2);
}

/** How many requests of this connection wait for a response: more than one only if it pipelines. */
export function unansweredOn(socket: Socket): number {
  return unanswered.get(socket)?.length ?? 0;
}

function openOn(socket: Socket): Unanswered[] {
  const known = unanswered.get(socket);
  if (known) return known;
  const open: Unanswered[] = [];
  unanswered.set(socket, open);
  socket.once("close", () => {
    for (const one of [...open]) finish(open, one);
  });
  return open;
}

/** Once for each: its response and its connection may both say so. */
function finish(open: Unanswered[], one: Unanswered): void {
  const index = open.indexOf(one);
  if (index < 0) return;
  open.splice(index, 1);
  for (const done of one.waiting) done();
}
