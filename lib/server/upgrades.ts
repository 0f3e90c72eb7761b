import { subscribe } from "node:diagnostics_channel";
import { Server } from "node:http";
import { Socket } from "node:net";

/** A connection from before the app had started is closed after so many milliseconds without a byte. */
const maxIdleMs = 60_000;

/**
 * Has requests for an upgrade answered as plain ones, as Node does where nobody listens to `upgrade`.
 * Next listens too, for its development server. In production it leaves the socket alone: nobody
 * reads it, so its end is not noticed, and it stays open for ever.
 *
 * This happens as soon as a connection is made: `http.server.request.start`, which the other steps
 * wait for, is not published for an upgrade.
 * Source: https://nodejs.org/api/diagnostics_channel.html#net
 */
export function answerUpgrades(idleMs = maxIdleMs): void {
  subscribe("net.server.socket", (message) => {
    serverOf((message as { socket: object }).socket)?.removeAllListeners("upgrade");
  });
  // Next listens for connections before it starts the app, and may hold some by now.
  for (const handle of activeHandles()) {
    if (handle instanceof Server) handle.removeAllListeners("upgrade");
    else if (handle instanceof Socket && serverOf(handle)) {
      handle.setTimeout(idleMs, () => handle.destroy());
    }
  }
}

/** The HTTP server that accepted the connection. */
export function serverOf(socket: object): Server | undefined {
  return "server" in socket && socket.server instanceof Server ? socket.server : undefined;
}

function activeHandles(): unknown[] {
  const { _getActiveHandles: list } = process as { _getActiveHandles?: () => unknown[] };
  return list?.call(process) ?? [];
}
