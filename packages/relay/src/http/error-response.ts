import type { IncomingMessage, ServerResponse } from "node:http";
import { respondJson } from "./respond.ts";

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
