import type { IncomingMessage } from "node:http";
import type { BodyReservation } from "./body-memory.ts";
import { type ErrorResponse, errorResponses, retryAfterSeconds } from "./error-response.ts";
import { type BodyFault, readBody } from "./read-body.ts";

/** A message of 4,000 characters takes 36 kB in a plain form, whatever its script. */
export const maxFormBytes = 64 * 1024;

export const plainForm = "application/x-www-form-urlencoded";

/** What is read of a form: its fields are still encoded. */
interface SentForm {
  type: string;
  text: string;
}

/**
 * Reads the body of a form.
 *
 * @param types that it may have, such as `plainForm`
 * @param reservation memory for the body. The caller releases it
 * @returns `gone` if the client has disconnected
 */
export async function readForm(
  request: IncomingMessage,
  types: readonly string[],
  reservation: BodyReservation,
): Promise<SentForm | ErrorResponse | "gone"> {
  const { headers } = request;
  const type = contentType(request);
  const isEncoded = (headers["content-encoding"] ?? "identity") !== "identity";
  if (!type || !types.includes(type) || isEncoded) return errorResponses.unsupportedType(types);
  if (Number(headers["content-length"] ?? 0) > maxFormBytes) return tooLarge;
  const body = await readBody(request, { maxBytes: maxFormBytes, reservation });
  if (body === "gone") return body;
  if (typeof body === "string") return unreadable(body, reservation);
  return { type, text: new TextDecoder().decode(body) };
}

/** The type of a request's body, without parameters. */
export function contentType({ headers }: IncomingMessage): string | undefined {
  return headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
}

const tooLarge = errorResponses.tooLarge("The body is too large.");

function unreadable(
  fault: Exclude<BodyFault, "gone">,
  { exceededShare }: BodyReservation,
): ErrorResponse {
  if (fault === "too_large") return tooLarge;
  if (fault === "too_slow") return errorResponses.tooSlow;
  if (fault === "fragmented") return errorResponses.fragmented;
  return exceededShare
    ? errorResponses.rateLimited("This address sends too much at once.", retryAfterSeconds)
    : errorResponses.unavailable("Too much is being sent at once.");
}
