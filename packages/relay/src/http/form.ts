import type { IncomingMessage } from "node:http";
import { type ErrorResponse, errorResponses } from "./answers.ts";
import { bodyRefusal, readBody } from "./body.ts";
import type { BodyReservation } from "./body-memory.ts";

/** A message of 4,000 characters takes 36 kB in a plain form, whatever its script. */
export const maxFormBytes = 64 * 1024;

const formType = "application/x-www-form-urlencoded";

/**
 * Reads a form that a page sends without a script: at most 64 KiB.
 *
 * @param reservation memory for the body. The caller releases it
 * @returns `gone` if the client has disconnected
 */
export async function readForm(
  request: IncomingMessage,
  reservation: BodyReservation,
): Promise<URLSearchParams | ErrorResponse | "gone"> {
  const { "content-type": type, "content-encoding": encoding = "identity" } = request.headers;
  const isForm = type?.split(";")[0]?.trim().toLowerCase() === formType;
  if (!isForm || encoding !== "identity") return errorResponses.unsupportedType(formType);
  const limits = { maxBytes: maxFormBytes, reservation };
  const body = await readBody(request, limits);
  if (body === "gone") return body;
  if (typeof body === "string") return bodyRefusal(body, limits);
  return new URLSearchParams(new TextDecoder().decode(body));
}
