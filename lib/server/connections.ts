import type { Socket } from "node:net";
import { errorResponses, isFragmented } from "@signpost/relay/http";
import type { RequestStep } from "@signpost/sentry/server";
import { onPageServer, relay, unansweredOn } from "@signpost/sentry/server";

/** A connection on which nothing moves for so many milliseconds is looked at. */
const maxIdleMs = 60_000;

/**
 * Keeps a connection for so long after an answer. A proxy that keeps it longer sends a request now and
 * then at the very moment when the server closes it, and its visitor gets a 502: Node's own 5 s are
 * shorter than the 60 s of most proxies. The option --keepAliveTimeout of `next start` goes first.
 *
 * @param ms milliseconds
 */
export function keepIdle(ms: number): void {
  if (process.argv.some((arg) => arg.startsWith("--keepAliveTimeout"))) return;
  onPageServer((server) => {
    server.keepAliveTimeout = ms;
  });
}

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
  onPageServer(
    (server) => {
      // Node sets it anew on a connection that was kept after an answer.
      server.timeout = idleMs;
      // With a listener, Node leaves it to that one to close the connection.
      server.on("timeout", closeUnlessWaiting);
    },
    (socket) => socket.setTimeout(idleMs),
  );
}

/**
 * Closes a connection whose body comes in chunks of a few bytes while nobody reads it: Node keeps each chunk
 * in memory, and stops at 64 kB of what is in them.
 */
export const closeFragmented: RequestStep = (request, response, next) => {
  const { headers, push } = request;
  if (!("content-length" in headers || "transfer-encoding" in headers)) return next();
  let chunks = 0;
  let bytes = 0;
  request.push = (chunk: Buffer | null, encoding) => {
    if (request.destroyed) return false;
    const isRead = request.readableLength === 0 && !response.writableEnded;
    if (isRead) [chunks, bytes] = [0, 0];
    chunks += 1;
    bytes += chunk?.length ?? 0;
    if (!isFragmented(chunks, bytes)) return push.call(request, chunk, encoding);
    relay().refusals.note("requests", errorResponses.fragmented.error);
    request.destroy();
    return false;
  };
  // Where nobody has read it before the answer, Node would throw the rest away unseen.
  response.prependOnceListener("finish", () => {
    if (request.readableFlowing !== null) return;
    request.read(0);
    request.resume();
  });
  next();
};

function closeUnlessWaiting(socket: Socket): void {
  const waits = unansweredOn(socket) > 0 && socket.writableLength === 0;
  if (!waits) socket.destroy();
}
