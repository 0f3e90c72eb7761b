import { createHash } from "node:crypto";
import { checkJson } from "@signpost/relay/envelope";
import type { Origin } from "@signpost/relay/store";

/**
 * Readers for the fields of an item, which is untrusted JSON: each gives the value if it has the expected
 * shape and is within its bounds, else nothing. Nothing else of a payload is kept or written out.
 */
export type Fields = Record<string, unknown>;

export interface ReportContext {
  reportId: number;
  origin: Origin;
  /** Milliseconds since the epoch. */
  receivedAt: number;
  /** By the client's clock. */
  sentAt: number | undefined;
  envelope: Uint8Array;
  /** By the envelope's header, for payloads without an id. */
  eventId: string | undefined;
}

const maxPosition = 2 ** 31 - 1;
/** The end of the year 9999: later ones have another form. */
const maxTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const maxTimeLength = 64;

export function fields(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * @param maxLength in UTF-16 units; of the rest, an ellipsis is left
 * @returns undefined for what is neither text, number nor boolean, and for the empty string
 */
export function text(value: unknown, maxLength = 200): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string" || value === "") return undefined;
  if (value.length <= maxLength) return clean(value);
  // A copy of its own: a slice would keep the whole of a long string in memory.
  return Buffer.from(`${clean(value.slice(0, maxLength - 1))}…`).toString();
}

/** @returns a number within these bounds, both included */
export function number(value: unknown, min: number, max: number): number | undefined {
  return typeof value === "number" && value >= min && value <= max ? value : undefined;
}

/** @returns a line or a column: a whole number, 0 or more */
export function lineOrColumn(value: unknown): number | undefined {
  const found = number(value, 0, maxPosition);
  return Number.isInteger(found) ? found : undefined;
}

const unshowable = /[^\P{Cc}\n\t]|\p{Surrogate}/u;

/** Lone surrogates and control characters, which HTML can't carry, become U+FFFD. */
function clean(value: string): string {
  // There are hardly ever any, and looking costs less than half of replacing.
  if (!unshowable.test(value)) return value;
  return value.replace(/(?![\n\t])[\p{Surrogate}\p{Cc}]/gu, "\ufffd");
}

/** @returns a time as Sentry writes it (seconds since the epoch, or ISO 8601) in milliseconds */
export function milliseconds(value: unknown): number | undefined {
  if (typeof value === "string" && value.length > maxTimeLength) return undefined;
  const ms =
    typeof value === "number" ? value * 1000 : typeof value === "string" ? Date.parse(value) : NaN;
  return number(ms, 0, maxTime);
}

/** @returns an event's id as 32 lower-case hex digits; the dashed form is accepted too */
export function eventId(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > 36) return undefined;
  const id = value.replaceAll("-", "").toLowerCase();
  return /^[0-9a-f]{32}$/.test(id) ? id : undefined;
}

/**
 * The id of an error: its own, that of its envelope, or one of the report. As Sentry's Relay, which makes one
 * up for an event without any. Nobody can know that one before the report has come, and take it.
 */
export function errorId(
  event: Fields,
  envelopeId: unknown,
  { reportId, receivedAt, envelope }: Pick<ReportContext, "reportId" | "receivedAt" | "envelope">,
): string {
  const given = eventId(event.event_id) ?? eventId(envelopeId);
  if (given !== undefined) return given;
  const hash = createHash("sha256").update(`${reportId} ${receivedAt} `).update(envelope);
  return hash.digest("hex").slice(0, 32);
}

/** As Sentry's Relay bounds it. */
const maxUserId = 128;

/** @returns the id given to `setUser`; nothing for one that is too long, since it must never be cut */
export function userId(id: unknown): string | undefined {
  const whole = text(id, maxUserId + 1);
  return whole !== undefined && whole.length <= maxUserId ? whole : undefined;
}

/** The route in a transaction's name: the server's SDK puts the request method in front. */
export function routeName(transaction: unknown): string | undefined {
  return text(transaction)?.replace(/^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) +(?=\S)/, "");
}

const maxAgeMs = 7 * 24 * 3600 * 1000;

/**
 * When something happened, by this server's clock. Client clocks may be wrong: only the time between
 * happening and sending is taken from them, and no more of it than reports are kept for.
 */
export function serverTime(clientTime: number | undefined, context: ReportContext): number {
  if (clientTime === undefined || context.sentAt === undefined) return context.receivedAt;
  const age = context.sentAt - clientTime;
  return context.receivedAt - Math.round(Math.min(Math.max(age, 0), maxAgeMs));
}

/**
 * Bytes of a payload, and values with the arrays and objects around them. Services refuse larger events.
 * A transaction has up to 1,000 spans of some 20 values; in a container, each has some 60.
 */
export const payloadLimits = {
  event: { maxBytes: 1024 * 1024, maxValues: 50_000 },
  container: { maxBytes: 2 * 1024 * 1024, maxValues: 100_000 },
};

/** Far more than SDKs send, and little enough for any function that calls itself. */
const maxDepth = 100;

/**
 * Parses a payload within its limits: parsed, JSON can take fifty times the memory of its bytes.
 *
 * @returns nothing where the bytes are not a JSON object, or are too much
 */
export function parseObject(bytes: Uint8Array, itemType: string): Fields | undefined {
  return parseCounted(bytes, itemType)?.payload;
}

/**
 * The same, and how many values were in it.
 *
 * @param valuesLeft a limit of their number beside its own
 */
export function parseCounted(
  bytes: Uint8Array,
  itemType: string,
  valuesLeft = Number.POSITIVE_INFINITY,
): { payload: Fields; values: number } | undefined {
  const limits = itemType === "span" ? payloadLimits.container : payloadLimits.event;
  if (bytes.length > limits.maxBytes) return undefined;
  try {
    const maxValues = Math.min(limits.maxValues, valuesLeft);
    const values = checkJson(bytes, { maxValues, maxDepth });
    const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
    const payload: unknown = JSON.parse(json);
    return isRecord(payload) ? { payload, values } : undefined;
  } catch {
    return undefined;
  }
}
