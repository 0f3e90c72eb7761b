/** Of a string, rounded up; of an object or array; and of each property or element, a number included. */
const overhead = { string: 24, object: 32, slot: 16 };

/**
 * How much memory a value may take, in bytes: a maximum, as one character over U+00FF makes V8 keep
 * the whole of a string in two bytes each. What is shared counts for each of those who share it.
 *
 * @param value plain data of few levels
 */
export function memorySize(value: unknown): number {
  if (typeof value === "string") return overhead.string + 2 * value.length;
  if (typeof value !== "object" || value === null) return 0;
  const parts = Object.values(value);
  let size = overhead.object + overhead.slot * parts.length;
  for (const part of parts) size += memorySize(part);
  return size;
}
