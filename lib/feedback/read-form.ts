import type { IncomingMessage } from "node:http";
import type { BodyReservation } from "@/lib/http/body-memory";
import { type BodyFault, readBody } from "@/lib/http/read-body";
import { type Refusal, retryAfter, retryAfterSeconds } from "@/lib/http/refusal";
import { type Faults, feedbackFields, honeypot, type Problem } from "./form";

/** A message of 4,000 characters takes 36 kB in a plain form, whatever its script. */
export const maxFormBytes = 64 * 1024;

/** Whatever else a body holds is not read. */
const knownFields: readonly string[] = [...feedbackFields, honeypot, "locale"];

/** A script wants JSON back, a plain form wants a page. */
type Sender = "script" | "form";

/** A refusal, with what the form shows for it. */
export interface FeedbackRefusal extends Refusal {
  faults?: Faults;
  /** By default the one that belongs to the status, see `problemOf`. */
  problem?: Problem;
}

/** Decides by the type of the body, else by the type that is accepted back. */
export function senderOf({ headers }: IncomingMessage): Sender {
  const type = contentType(headers["content-type"]);
  if (type === "application/json") return "script";
  if (type === "application/x-www-form-urlencoded") return "form";
  return headers.accept?.includes("text/html") ? "form" : "script";
}

/**
 * Reads a form that was sent as JSON, or by a browser without JavaScript.
 *
 * @param reservation memory for the body. The caller releases it
 * @returns the fields by name, unchecked; `gone` if the client has disconnected
 */
export async function readForm(
  request: IncomingMessage,
  reservation: BodyReservation,
): Promise<{ fields: Record<string, unknown> } | FeedbackRefusal | "gone"> {
  const { headers } = request;
  const type = contentType(headers["content-type"]);
  const json = type === "application/json";
  if (!json && type !== "application/x-www-form-urlencoded") return unsupportedType;
  if ((headers["content-encoding"] ?? "identity") !== "identity") return unsupportedType;
  if (Number(headers["content-length"] ?? 0) > maxFormBytes) return tooLarge;
  const body = await readBody(request, { maxBytes: maxFormBytes, reservation });
  if (body === "gone") return body;
  if (typeof body === "string") return unreadable(body, reservation);
  const text = new TextDecoder().decode(body);
  const fields = json ? jsonFields(text) : formFields(text);
  return fields ? { fields } : malformed;
}

/** For an address that sends too much, whether that was read or not. */
export function tooManyRequests(seconds: number): FeedbackRefusal {
  return {
    status: 429,
    error: "rate_limited",
    detail: "This address sends too much at once.",
    headers: retryAfter(seconds),
    problem: "busy",
  };
}

function unreadable(
  fault: Exclude<BodyFault, "gone">,
  { exceededShare }: BodyReservation,
): FeedbackRefusal {
  if (fault === "too_large") return tooLarge;
  if (fault === "too_slow") return malformed;
  return exceededShare ? tooManyRequests(retryAfterSeconds) : noRoom;
}

const malformed: FeedbackRefusal = {
  status: 400,
  error: "malformed",
  detail: "The body can't be read as a form.",
};

const tooLarge: FeedbackRefusal = {
  status: 413,
  error: "too_large",
  detail: "The body is too large.",
};

const unsupportedType: FeedbackRefusal = {
  status: 415,
  error: "unsupported_type",
  detail: "The body must be application/json or application/x-www-form-urlencoded.",
};

const noRoom: FeedbackRefusal = {
  status: 503,
  error: "unavailable",
  detail: "Too much is being sent at once.",
  headers: retryAfter(retryAfterSeconds),
  problem: "busy",
};

function jsonFields(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return Object.fromEntries(Object.entries(value).filter(([name]) => knownFields.includes(name)));
  } catch {
    return undefined;
  }
}

/** The first value of each field. Others are not even decoded: a body may hold thousands. */
function formFields(text: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const pair of text.split("&")) {
    const [name = ""] = pair.split("=", 1);
    if (!knownFields.includes(name) || Object.hasOwn(fields, name)) continue;
    fields[name] = new URLSearchParams(pair).get(name) ?? "";
  }
  return fields;
}

function contentType(header: string | undefined): string | undefined {
  return header?.split(";")[0]?.trim().toLowerCase();
}
