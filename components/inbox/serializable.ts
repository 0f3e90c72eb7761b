/**
 * The same value without fields that are undefined, which Next refuses to send: JSON has none.
 *
 * @param value plain data
 */
export function definedOnly<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
