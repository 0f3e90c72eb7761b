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
  /** An object is sent as JSON. */
  body: string | Uint8Array | object;
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
  const isJson = typeof body === "object" && !(body instanceof Uint8Array);
  const bytes = isJson ? JSON.stringify(body) : body;
  const keepsConnection = request.complete || (!closeConnection && hasSmallBody(request));
  response.writeHead(status, {
    "Content-Length": Buffer.byteLength(bytes),
    "Cache-Control": "no-store",
    ...(isJson && { "Content-Type": "application/json; charset=utf-8" }),
    ...headers,
    ...(keepsConnection ? {} : { Connection: "close" }),
  });
  if (keepsConnection || closeConnection) {
    response.end(bytes);
    // Node skips a body that nobody has begun to read.
    if (!request.complete) request.resume();
    return;
  }
  response.write(bytes);
  await discardRest(request);
  response.end();
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
    request.on("data", count).once("end", done).once("close", done).once("error", done);
    request.resume();
  });
}

/** When a client may try again after an error that is not its fault. */
export const retryAfterSeconds = 10;

/** Why a request is not served: the one shape of every error response that is not a page. */
export interface ErrorResponse extends Omit<Answer, "body"> {
  /** Short and stable, for programs. */
  error: string;
  /** A sentence, for people. It never repeats what the client sent. */
  detail: string;
  /** Further fields of the JSON body. */
  extra?: Record<string, unknown>;
}

/** Writes an error response as `{"error": …, "detail": …}`. */
export function writeErrorResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { error, detail, extra, ...answer }: ErrorResponse,
): Promise<void> {
  return respond(request, response, { ...answer, body: { error, detail, ...extra } });
}

const closing = { closeConnection: true };

/** The error responses that several give, in the order of their status. Clients may rely on status and code. */
export const errorResponses = {
  malformed: (detail: string) => refusal(400, "malformed", detail),
  serverEventId: refusal(
    400,
    "server_event_id",
    "A browser's event can't have an id of the server's own.",
  ),
  badEncoding: (encoding: string) =>
    refusal(400, "bad_encoding", `The body is not valid ${encoding}, or not complete.`),
  fragmented: refusal(400, "fragmented", "The body comes in too many small chunks.", closing),
  unstorable: refusal(400, "unstorable", "The envelope can't be stored as it is."),
  otherSite: (detail: string) => refusal(403, "other_site", detail),
  notFound: (detail: string) => refusal(404, "not_found", detail),
  wrongMethod: (allow: string) =>
    refusal(405, "method_not_allowed", `This address answers to ${allow}.`, {
      headers: { Allow: allow },
    }),
  tooSlow: refusal(408, "incomplete", "The body took too long to arrive.", closing),
  tooLarge: (detail: string) => refusal(413, "too_large", detail),
  unsupportedType: (type: string) => refusal(415, "unsupported_type", `The body must be ${type}.`),
  unsupportedEncoding: refusal(
    415,
    "unsupported_encoding",
    "The content encoding must be identity, gzip, deflate or br.",
    { headers: { "Accept-Encoding": "gzip, deflate, br" } },
  ),
  rateLimited: (detail: string, seconds: number) =>
    refusal(429, "rate_limited", detail, { headers: retryAfter(seconds) }),
  serviceLimited: (seconds: number, limits: Record<string, string>) =>
    refusal(429, "service_limited", "The service has asked for fewer reports.", {
      headers: { ...retryAfter(seconds), ...limits },
    }),
  tunnelFailed: refusal(500, "failed", "The tunnel has failed."),
  unavailable: (detail: string) =>
    refusal(503, "unavailable", detail, { headers: retryAfter(retryAfterSeconds) }),
};

function refusal(
  status: number,
  error: string,
  detail: string,
  more?: Pick<ErrorResponse, "headers" | "closeConnection">,
): ErrorResponse {
  return { status, error, detail, ...more };
}

function retryAfter(seconds: number): Record<string, string> {
  return { "Retry-After": String(seconds) };
}
