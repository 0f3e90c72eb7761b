import type { IncomingMessage } from "node:http";
import type { BodyReservation } from "@signpost/sentry/server";
import {
  contentType,
  type ErrorResponse,
  errorResponses,
  plainForm,
  readForm,
} from "@signpost/sentry/server";
import { type Faults, feedbackFields, honeypot, type Problem } from "./form";

const json = "application/json";

/** Whatever else a body holds is not read. */
const knownFields: readonly string[] = [...feedbackFields, honeypot, "locale", "build"];

/** A script wants JSON back, a plain form wants a page. */
type Sender = "script" | "form";

/** An error response, with what the form shows for it. */
export interface FeedbackError extends ErrorResponse {
  faults?: Faults;
  /** By default the one that belongs to the status, see `problemOf`. */
  problem?: Problem;
}

/** Decides by the type of the body, else by the type that is accepted back. */
export function senderOf(request: IncomingMessage): Sender {
  const type = contentType(request);
  if (type === json) return "script";
  if (type === plainForm) return "form";
  return request.headers.accept?.includes("text/html") ? "form" : "script";
}

/**
 * Reads a form that was sent as JSON, or by a browser without JavaScript.
 *
 * @param reservation memory for the body. The caller releases it
 * @returns the fields by name, unchecked; `gone` if the client has disconnected
 */
export async function readFeedback(
  request: IncomingMessage,
  reservation: BodyReservation,
): Promise<{ fields: Record<string, unknown> } | FeedbackError | "gone"> {
  const form = await readForm(request, [json, plainForm], reservation);
  if (form === "gone") return form;
  // No memory is left, for this address or at all.
  if ("error" in form) return form.status >= 429 ? { ...form, problem: "busy" } : form;
  const fields = form.type === json ? jsonFields(form.text) : formFields(form.text);
  return fields ? { fields } : errorResponses.malformed("The body can't be read as a form.");
}

/** What is no text counts as missing: parsed, it can take fifty times its bytes for as long as it is kept. */
function jsonFields(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const isKnown = ([name, field]: [string, unknown]) =>
      knownFields.includes(name) && typeof field === "string";
    return Object.fromEntries(Object.entries(value).filter(isKnown));
  } catch {
    return undefined;
  }
}

/** The first value of each field. */
function formFields(text: string): Record<string, string> {
  const sent = new URLSearchParams(text);
  const named = knownFields.filter((name) => sent.has(name));
  return Object.fromEntries(named.map((name) => [name, sent.get(name) ?? ""]));
}
