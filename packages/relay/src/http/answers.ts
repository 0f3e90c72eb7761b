import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "../log.ts";

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

/** When a client may try again after an error that is not its fault. */
export const retryAfterSeconds = 10;

/** Why a request is not served: the one shape of every error response that is not a page. */
export interface ErrorResponse {
  status: number;
  /** Short and stable, for programs. */
  error: string;
  /** A sentence, for people. It never repeats what the client sent. */
  detail: string;
  headers?: Record<string, string>;
  /** Further fields of the JSON body. */
  extra?: Record<string, unknown>;
  /** Close the connection at once, even if the client is still sending. */
  closeConnection?: boolean;
}

/** Writes an error response as `{"error": …, "detail": …}`. */
export function writeErrorResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { error, detail, extra, ...answer }: ErrorResponse,
): Promise<void> {
  return respondJson(request, response, { ...answer, body: { error, detail, ...extra } });
}

/** All error responses, in the order of their status. Clients may rely on status and code. */
export const errorResponses = {
  malformed: (detail: string) => ({ status: 400, error: "malformed", detail }),
  /** @param code what is wrong with the envelope, see `readEnvelope` */
  badEnvelope: (code: string, detail: string) => ({ status: 400, error: code, detail }),
  badEncoding: (encoding: string) => ({
    status: 400,
    error: "bad_encoding",
    detail: `The body is not valid ${encoding}, or not complete.`,
  }),
  fragmented: {
    status: 400,
    error: "fragmented",
    detail: "The body comes in too many small chunks.",
    closeConnection: true,
  },
  unstorable: {
    status: 400,
    error: "unstorable",
    detail: "The envelope can't be stored as it is.",
  },
  wrongToken: {
    status: 401,
    error: "wrong_token",
    detail: "The Authorization header must be Bearer and the token of this address.",
    headers: { "WWW-Authenticate": "Bearer" },
  },
  otherSite: (detail: string) => ({ status: 403, error: "other_site", detail }),
  notFound: (detail: string) => ({ status: 404, error: "not_found", detail }),
  unknownApi: { status: 404, error: "not_found", detail: "There is no such API route." },
  wrongMethod: (allow: string) => ({
    status: 405,
    error: "method_not_allowed",
    detail: `This address answers to ${allow}.`,
    headers: { Allow: allow },
  }),
  tooSlow: {
    status: 408,
    error: "incomplete",
    detail: "The body took too long to arrive.",
    closeConnection: true,
  },
  tooLarge: (detail: string) => ({ status: 413, error: "too_large", detail }),
  targetTooLong: { status: 414, error: "uri_too_long", detail: "The address is too long." },
  unsupportedType: (types: readonly string[]) => ({
    status: 415,
    error: "unsupported_type",
    detail: `The body must be ${types.join(" or ")}.`,
  }),
  unsupportedEncoding: {
    status: 415,
    error: "unsupported_encoding",
    detail: "The content encoding must be identity, gzip, deflate or br.",
    headers: { "Accept-Encoding": "gzip, deflate, br" },
  },
  invalidFields: { status: 422, error: "invalid", detail: "Some fields are not valid." },
  rateLimited: (detail: string, seconds: number) => ({
    status: 429,
    error: "rate_limited",
    detail,
    headers: retryAfter(seconds),
  }),
  serviceLimited: (seconds: number, limits: Record<string, string>) => ({
    status: 429,
    error: "service_limited",
    detail: "The service has asked for fewer reports.",
    headers: { ...retryAfter(seconds), ...limits },
  }),
  /** @param reference the id of the event that reports it */
  internal: (reference: string | undefined) => ({
    status: 500,
    error: "internal",
    detail: "The server could not answer this request. The error has been reported.",
    extra: { reference },
  }),
  tunnelFailed: { status: 500, error: "failed", detail: "The tunnel has failed." },
  unavailable: (detail: string) => ({
    status: 503,
    error: "unavailable",
    detail,
    headers: retryAfter(retryAfterSeconds),
  }),
} satisfies Record<string, ErrorResponse | ((...args: never[]) => ErrorResponse)>;

function retryAfter(seconds: number): Record<string, string> {
  return { "Retry-After": String(seconds) };
}

/** What is refused: each kind has a line of its own in the log. */
type Refused = "envelopes" | "feedback" | "requests";

const tellMs = 60_000;

/** What this process has refused, by reason. The log is told once a minute, where there is something to tell. */
export class Refusals {
  /** Since the start, by kind and then by reason: codes of `errorResponses`. */
  readonly counts = new Map<Refused, Map<string, number>>();
  #untold = new Map<Refused, Map<string, number>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly write: Log,
    private readonly intervalMs = tellMs,
  ) {}

  note(kind: Refused, reason: string): void {
    add(this.counts, kind, reason);
    add(this.#untold, kind, reason);
    this.#timer ??= setTimeout(() => this.tell(), this.intervalMs).unref();
  }

  /** Writes what is not told yet. */
  tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const untold = this.#untold;
    this.#untold = new Map();
    for (const [kind, reasons] of untold) {
      this.write("warn", `${kind} refused`, Object.fromEntries(reasons));
    }
  }
}

function add(counts: Refusals["counts"], kind: Refused, reason: string): void {
  const reasons = counts.get(kind) ?? new Map<string, number>();
  counts.set(kind, reasons.set(reason, (reasons.get(reason) ?? 0) + 1));
}
