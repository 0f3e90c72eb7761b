/** Characters that a value takes as JSON; Infinity if it can't be written. */
export function jsonLength(value: unknown): number {
  try {
    return JSON.stringify(value).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Those for which there is room, in their order: what leaves without the SDK must be small.
 *
 * @param max characters of JSON in all
 */
export function fitting<T>(list: T[], max: number): T[] {
  let room = max;
  return list.filter((one) => {
    const length = jsonLength(one);
    const fits = length < room;
    if (fits) room -= length;
    return fits;
  });
}

/** As `fitting`, by property. */
export function fittingPart<T extends object>(record: T, max: number): T {
  return Object.fromEntries(fitting(Object.entries(record), max)) as T;
}
