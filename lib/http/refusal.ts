import type { IncomingMessage, ServerResponse } from "node:http";
import { respondJson } from "./respond";

/** When a client may try again after a refusal that is not its fault. */
export const retryAfterSeconds = 10;

/** Why a request is not served: the one shape of every error response that is not a page. */
export interface Refusal {
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

/** Writes a refusal as `{"error": …, "detail": …}`. */
export function writeRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  { error, detail, extra, ...answer }: Refusal,
): Promise<void> {
  return respondJson(request, response, { ...answer, body: { error, detail, ...extra } });
}

/** The header that says how many seconds to wait. */
export function retryAfter(seconds: number): Record<string, string> {
  return { "Retry-After": String(seconds) };
}
