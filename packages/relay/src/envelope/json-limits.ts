interface JsonLimits {
  /** Values in the JSON, arrays and objects included. */
  maxValues: number;
  maxDepth: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/**
 * Refuses JSON that would take far more memory parsed than it has bytes.
 *
 * @returns how many values it has
 * @throws {Error}
 */
export function checkJson(json: Uint8Array, { maxValues, maxDepth }: JsonLimits): number {
  let values = 0;
  let depth = 0;
  for (let i = 0; i < json.length; i += 1) {
    const byte = json[i];
    if (byte === quote) i = endOfString(json, i);
    else if (byte === comma) values += 1;
    else if (byte === 0x5b || byte === 0x7b) {
      values += 1;
      depth += 1;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
    if (values > maxValues || depth > maxDepth) throw new Error("The JSON has too many parts.");
  }
  return values;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @returns undefined for JSON beyond the limits, and for what is no JSON */
export function parseJson(
  json: Uint8Array,
  { maxBytes, ...limits }: JsonLimits & { maxBytes: number },
): unknown {
  if (json.length > maxBytes) return undefined;
  try {
    checkJson(json, limits);
    return JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString());
  } catch {
    return undefined;
  }
}

/**
 * A plain loop: most strings are so short that a search costs more.
 *
 * @param start of the opening quote
 * @returns where the closing quote is
 */
function endOfString(json: Uint8Array, start: number): number {
  let i = start + 1;
  while (i < json.length && json[i] !== quote) i += json[i] === backslash ? 2 : 1;
  return i;
}
