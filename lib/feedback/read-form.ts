import type { IncomingMessage } from "node:http";
import type { Hold } from "@/lib/http/body-memory";
import { readBody } from "@/lib/http/read-body";

/** Far over the longest message, so that one too long is read, and shown again with its fault. */
export const maxFormBytes = 1024 * 1024;

/** Who sends: a script wants JSON back, a plain form wants a page. */
export type Sender = "script" | "form";

/** The form could not be read, by the status that says why; `gone`: there is nobody to answer. */
export type FormFault = 400 | 413 | 415 | 429 | 503 | "gone";

/** By what is sent, else by what is wanted back. */
export function senderOf({ headers }: IncomingMessage): Sender {
  const type = contentType(headers["content-type"]);
  if (type === "application/json") return "script";
  if (type === "application/x-www-form-urlencoded") return "form";
  return headers.accept?.includes("text/html") ? "form" : "script";
}

/**
 * Reads a form sent as JSON or as a browser without JavaScript sends it.
 *
 * @param hold what its bytes are taken of, to be given back by the caller
 * @returns its fields by name, unchecked
 */
export async function readForm(
  request: IncomingMessage,
  hold: Hold,
): Promise<Record<string, unknown> | FormFault> {
  const { headers } = request;
  const type = contentType(headers["content-type"]);
  const json = type === "application/json";
  if (!json && type !== "application/x-www-form-urlencoded") return 415;
  if ((headers["content-encoding"] ?? "identity") !== "identity") return 415;
  if (Number(headers["content-length"] ?? 0) > maxFormBytes) return 413;
  const body = await readBody(request, { maxBytes: maxFormBytes, hold });
  if (body === "too_large") return 413;
  if (body === "gone") return body;
  if (body === "no_room") return hold.overShare ? 429 : 503;
  if (typeof body === "string") return 400;
  const text = new TextDecoder().decode(body);
  return json ? (jsonFields(text) ?? 400) : Object.fromEntries(new URLSearchParams(text));
}

function jsonFields(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
    return isRecord ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function contentType(header: string | undefined): string | undefined {
  return header?.split(";")[0]?.trim().toLowerCase();
}
