/** Characters that a value takes as JSON; Infinity if it can't be written. */
export function jsonLength(value: unknown): number {
  try {
    return JSON.stringify(value).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * The properties for which there is room, in their order: what leaves without the SDK must be small.
 *
 * @param room characters of JSON in all
 */
export function fittingPart<T extends object>(record: T, room: number): Partial<T> {
  let left = room;
  const fits = (property: unknown) => {
    const length = jsonLength(property);
    if (length >= left) return false;
    left -= length;
    return true;
  };
  return Object.fromEntries(Object.entries(record).filter(fits)) as Partial<T>;
}
