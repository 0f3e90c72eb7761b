/** One item of an envelope: its kind as its header names it, and its payload, not yet parsed. */
export interface Item {
  type: string;
  payload: Uint8Array;
}

const newline = 0x0a;

/**
 * Takes a stored envelope apart. Tolerant: reads as far as there is something to be read, and says
 * whether it came to the end.
 * Source: https://develop.sentry.dev/sdk/data-model/envelopes/#serialization-format
 *
 * @returns the envelope's header, its items in order, and whether the framing held to the last byte
 */
export function readItems(envelope: Uint8Array): {
  header: Record<string, unknown>;
  items: Item[];
  whole: boolean;
} {
  const first = lineAt(envelope, 0);
  const header = parseObject(first.bytes);
  const items: Item[] = [];
  if (!header) return { header: {}, items, whole: false };
  let at = first.next;
  while (at < envelope.length) {
    const line = lineAt(envelope, at);
    if (line.bytes.length === 0) {
      at = line.next;
      continue;
    }
    const itemHeader = parseObject(line.bytes);
    if (typeof itemHeader?.type !== "string") return { header, items, whole: false };
    const { length } = itemHeader;
    if (length === undefined) {
      const payload = lineAt(envelope, line.next);
      items.push({ type: itemHeader.type, payload: payload.bytes });
      at = payload.next;
      continue;
    }
    const end = line.next + Number(length);
    const right = Number.isSafeInteger(length) && end >= line.next && end <= envelope.length;
    if (!right) return { header, items, whole: false };
    items.push({ type: itemHeader.type, payload: envelope.subarray(line.next, end) });
    at = envelope[end] === newline ? end + 1 : end;
  }
  return { header, items, whole: true };
}

function lineAt(bytes: Uint8Array, from: number): { bytes: Uint8Array; next: number } {
  const found = bytes.indexOf(newline, from);
  const end = found === -1 ? bytes.length : found;
  return { bytes: bytes.subarray(from, end), next: end + 1 };
}

/** @returns the JSON object these bytes spell, or nothing where they spell something else */
export function parseObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
