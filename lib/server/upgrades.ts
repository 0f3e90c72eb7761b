import { subscribe } from "node:diagnostics_channel";
import { Server } from "node:http";

/**
 * Has requests for an upgrade answered as plain ones, as Node does where nobody listens to `upgrade`.
 * Next listens too, for its development server. In production it leaves the socket alone: nobody
 * reads it, so its end is not noticed, and it stays open for ever.
 *
 * This happens as soon as a connection is made: `http.server.request.start`, which the other hooks
 * wait for, is not published for an upgrade.
 * Source: https://nodejs.org/api/diagnostics_channel.html#net
 */
export function answerUpgrades(): void {
  subscribe("net.server.socket", (message) => {
    serverOf((message as { socket: object }).socket)?.removeAllListeners("upgrade");
  });
}

/** The HTTP server that accepted the connection. */
export function serverOf(socket: object): Server | undefined {
  return "server" in socket && socket.server instanceof Server ? socket.server : undefined;
}
