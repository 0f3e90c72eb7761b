/** An item's header and payload, in the order in which Sentry's SDKs pair them. */
export type ItemToWrite = readonly [
  header: { readonly type?: unknown; readonly [field: string]: unknown },
  payload: string | Uint8Array,
];

/**
 * Writes an envelope. Each item's header gets the payload's `length`, so a payload may hold any
 * bytes, newlines too.
 * Source: https://develop.sentry.dev/sdk/data-model/envelopes/#serialization-format
 */
export function writeEnvelope(
  header: Record<string, unknown>,
  items: readonly ItemToWrite[],
): Buffer<ArrayBuffer> {
  const parts = [headerLine(header)];
  for (const [itemHeader, payload] of items) {
    const bytes = Buffer.from(payload);
    parts.push(headerLine({ ...itemHeader, length: bytes.length }), bytes, newline);
  }
  return Buffer.concat(parts);
}

const newline = Buffer.from("\n");

/** @returns one header of an envelope as its line of JSON, with its newline */
export function headerLine(header: Record<string, unknown>): Buffer<ArrayBuffer> {
  return Buffer.from(`${JSON.stringify(header)}\n`);
}
