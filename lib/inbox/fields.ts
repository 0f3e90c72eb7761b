import type { Origin } from "@/lib/outbox/outbox";

/**
 * Readers for the fields of an item. Its payload is untrusted JSON: each reader gives the value if
 * it has the expected shape, else nothing.
 */
export type Fields = Record<string, unknown>;

/** What is known about an item from the report it came in. */
export interface ReportContext {
  reportId: number;
  origin: Origin;
  /** Milliseconds since the epoch. */
  receivedAt: number;
  /** When the client says it sent the report, by the client's clock. */
  sentAt: number | undefined;
  /** The event's id by the envelope's header, for payloads without an id. */
  eventId: string | undefined;
}

export function fields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * @param maxLength in UTF-16 units; the rest is cut off and replaced by an ellipsis
 * @returns undefined for what is neither text, number nor boolean, and for the empty string
 */
export function text(value: unknown, maxLength = 200): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string" || value === "") return undefined;
  if (value.length <= maxLength) return clean(value);
  // Copied, since a slice would keep the whole of a long string in memory.
  return Buffer.from(`${clean(value.slice(0, maxLength - 1))}…`).toString();
}

export function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Lone surrogates and control characters, which HTML can't carry, become U+FFFD. */
function clean(value: string): string {
  return value.replace(/(?![\n\t])[\p{Surrogate}\p{Cc}]/gu, "\ufffd");
}

/** @returns a time as Sentry writes it (seconds since the epoch, or ISO 8601) in milliseconds */
export function milliseconds(value: unknown): number | undefined {
  const ms =
    typeof value === "number" ? value * 1000 : typeof value === "string" ? Date.parse(value) : NaN;
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? ms : undefined;
}

/** @returns an event's id as 32 lower-case hex digits; the dashed form is accepted too */
export function eventId(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > 36) return undefined;
  const id = value.replaceAll("-", "").toLowerCase();
  return /^[0-9a-f]{32}$/.test(id) ? id : undefined;
}

/**
 * The route in a transaction's name. The server's SDK puts the request method in front
 * (`GET /dynamic/[id]`) and the browser's does not; without it both count for one route.
 */
export function routeName(transaction: unknown): string | undefined {
  return text(transaction)?.replace(/^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) +(?=\S)/, "");
}

/** The outbox keeps no report for longer. */
const maxAgeMs = 7 * 24 * 3600 * 1000;

/**
 * When something happened, by this server's clock. Client clocks may be wrong, so only the time
 * between happening and sending is taken from them, and no more of it than reports are kept for.
 *
 * @param clientTime milliseconds since the epoch by the client's clock
 */
export function serverTime(clientTime: number | undefined, context: ReportContext): number {
  if (clientTime === undefined || context.sentAt === undefined) return context.receivedAt;
  const age = context.sentAt - clientTime;
  return context.receivedAt - Math.round(Math.min(Math.max(age, 0), maxAgeMs));
}

/** @returns nothing where the bytes are not a JSON object */
export function parseObject(bytes: Uint8Array): Fields | undefined {
  try {
    const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
