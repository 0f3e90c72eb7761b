/** Readers for fields of untrusted JSON: the value if it has the shape asked for, else nothing. */

export type Fields = Record<string, unknown>;

export function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * @param longest in UTF-16 units; what is over is cut off, with an ellipsis in its place
 * @returns undefined for what is neither text, number nor boolean, and for the empty string
 */
export function text(value: unknown, longest = 200): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string" || value === "") return undefined;
  if (value.length <= longest) return clean(value);
  // Copied, since a slice would keep the whole of a long string in memory.
  return Buffer.from(`${clean(value.slice(0, longest - 1))}…`).toString();
}

export function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Half characters and control characters, which HTML can't carry, become the replacement mark. */
function clean(value: string): string {
  return value.replace(/(?![\n\t])[\p{Surrogate}\p{Cc}]/gu, "\ufffd");
}

/** @returns a time as Sentry writes it (seconds since the epoch, or ISO 8601) in milliseconds */
export function milliseconds(value: unknown): number | undefined {
  const ms =
    typeof value === "number" ? value * 1000 : typeof value === "string" ? Date.parse(value) : NaN;
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? ms : undefined;
}

/** @returns an event's id as 32 lower-case hex digits; dashes are forgiven */
export function eventId(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > 36) return undefined;
  const id = value.replaceAll("-", "").toLowerCase();
  return /^[0-9a-f]{32}$/.test(id) ? id : undefined;
}

/** @returns the JSON object these bytes spell, or nothing where they spell something else */
export function parseObject(bytes: Uint8Array): Fields | undefined {
  let value: unknown;
  try {
    value = JSON.parse(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"),
    );
  } catch {
    return undefined;
  }
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : undefined;
}
