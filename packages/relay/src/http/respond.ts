import type { IncomingMessage, ServerResponse } from "node:http";

/** An unread body up to this size is skipped, so that the connection can be kept. */
const maxSkippedBytes = 64 * 1024;
/** How much a client may still send, and for how long, before its connection is closed. */
const maxLingerBytes = 32 * 1024 * 1024;
const maxLingerMs = 2_000;
/** What a chunk counts beside its bytes: even an empty one takes time. */
const chunkBytes = 4 * 1024;

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body: string | Uint8Array;
  /** Close the connection at once, even if the client is still sending. */
  closeConnection?: boolean;
}

/**
 * Writes a response that nobody may store, even if the request's body was not read to its end.
 *
 * The rest of a small body is skipped and the connection kept. After a large one the connection is
 * closed, but not at once: that would reset it, and a client that is still sending would never read
 * the response. What it sends until then is thrown away, within bounds.
 */
export async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body, closeConnection = false }: Answer,
): Promise<void> {
  const keepsConnection = request.complete || (!closeConnection && hasSmallBody(request));
  response.writeHead(status, {
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
    ...headers,
    ...(keepsConnection ? {} : { Connection: "close" }),
  });
  if (keepsConnection || closeConnection) {
    response.end(body);
    return;
  }
  response.write(body);
  await discardRest(request);
  response.end();
}

/** `respond` with a JSON body. */
export function respondJson(
  request: IncomingMessage,
  response: ServerResponse,
  { body, headers, ...answer }: Omit<Answer, "body"> & { body: object },
): Promise<void> {
  return respond(request, response, {
    ...answer,
    headers: { "Content-Type": "application/json; charset=utf-8", ...headers },
    body: JSON.stringify(body),
  });
}

function hasSmallBody({ headers }: IncomingMessage): boolean {
  if (headers["transfer-encoding"] !== undefined) return false;
  return Number(headers["content-length"] ?? 0) <= maxSkippedBytes;
}

function discardRest(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytesLeft = maxLingerBytes;
    const done = () => {
      clearTimeout(timer);
      request.off("data", count);
      request.pause();
      resolve();
    };
    const count = (chunk: Buffer) => {
      bytesLeft -= chunk.length + chunkBytes;
      if (bytesLeft < 0) done();
    };
    const timer = setTimeout(done, maxLingerMs);
    request.on("data", count);
    request.once("end", done);
    request.once("close", done);
    request.once("error", done);
    request.resume();
  });
}
