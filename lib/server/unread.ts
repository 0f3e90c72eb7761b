import { subscribe } from "node:diagnostics_channel";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { unansweredOn } from "@/lib/base/server/serving";
import { serverOf } from "./upgrades";

/** A connection on which nothing moves for so many milliseconds is looked at. */
const maxIdleMs = 60_000;

/**
 * Closes connections whose client does not read what waits for it: their requests would be in flight
 * for ever. Whoever waits for an answer that is not written yet, or for the next event of a stream,
 * may go on waiting.
 *
 * A part of an answer that the client takes counts as a movement, however large the rest. So does
 * what the client sends, but Node closes by itself what doesn't complete a request in time.
 * Source: https://nodejs.org/api/http.html#event-timeout
 */
export function closeUnread(idleMs = maxIdleMs): void {
  const prepared = new WeakSet<Server>();
  subscribe("net.server.socket", (message) => {
    const socket = (message as { socket: Socket }).socket;
    const server = serverOf(socket);
    if (!server) return;
    if (!prepared.has(server)) {
      prepared.add(server);
      // Node sets it anew on a connection that was kept after an answer.
      server.timeout = idleMs;
      // With a listener, Node leaves it to that one to close the connection.
      server.on("timeout", closeUnlessWaiting);
    }
    socket.setTimeout(idleMs);
  });
}

function closeUnlessWaiting(socket: Socket): void {
  const waits = unansweredOn(socket) > 0 && socket.writableLength === 0;
  if (!waits) socket.destroy();
}
