import { readFileSync } from "node:fs";
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { onPageServer } from "@signpost/sentry/server";

/** How long somebody may take to begin with a connection that was upgraded. */
const maxUnreadMs = 10_000;

/**
 * Leaves no request for an upgrade without an answer. Next listens to `upgrade` for its development server,
 * and for rewrites to another one. All other sockets it leaves alone: where nobody else reads one, its
 * end is not noticed, and it stays open for ever.
 *
 * - Where no rewrite leads to another server, Next's listener is taken away. Then such a request is answered
 *   as a plain one, as Node does where nobody listens, or by the app's own listeners.
 * - Where one does, a socket that nobody has read or written to after a while is closed.
 *
 * This happens as soon as a connection is made: Node decides before it tells of a request.
 * Source: https://nodejs.org/api/http.html#event-upgrade_1
 *
 * @param leadsElsewhere whether a request may be handed to another server
 */
export function answerUpgrades(
  leadsElsewhere: () => boolean = mayLeadElsewhere,
  unreadMs = maxUnreadMs,
): void {
  const watched = new WeakSet<Server>();
  // A custom server has Next's listener from its first request on.
  const look = (_socket: Socket, server: Server) => {
    const ofNext = server.listeners("upgrade").filter(isOfNext);
    if (ofNext.length === 0 || watched.has(server)) return;
    if (!leadsElsewhere()) {
      for (const listener of ofNext) server.off("upgrade", listener as () => void);
    } else {
      watched.add(server);
      server.on("upgrade", (_request: IncomingMessage, socket: Socket) =>
        closeUntouched(socket, unreadMs),
      );
    }
  };
  onPageServer(() => {}, look);
}

/** Whether the build has a rewrite to another server, or a middleware, which may lead to one. */
function mayLeadElsewhere(): boolean {
  const all = Object.values(inBuild(".next/routes-manifest.json", "rewrites")).flat();
  return (
    all.some(({ destination }) => /^https?:/.test(destination)) ||
    "/_middleware" in inBuild(".next/server/functions-config-manifest.json", "functions") ||
    Object.keys(inBuild(".next/server/middleware-manifest.json", "middleware")).length > 0
  );
}

/** @returns what a manifest has under this key: nothing where the build has no such file */
function inBuild(file: string, key: string): object {
  try {
    return JSON.parse(readFileSync(file, "utf8"))[key] ?? {};
  } catch {
    return {};
  }
}

/** Source: next/dist/server/lib/start-server.js, and next/dist/server/next.js for custom servers. */
function isOfNext(listener: unknown): boolean {
  return String(listener).includes("upgradeHandler(");
}

function closeUntouched(socket: Socket, afterMs: number): void {
  const { bytesWritten } = socket;
  const look = () => {
    // Null until somebody reads it.
    if (socket.readableFlowing === null && socket.bytesWritten === bytesWritten) socket.destroy();
  };
  setTimeout(look, afterMs).unref();
}
