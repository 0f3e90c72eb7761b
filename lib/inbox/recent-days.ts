import type { ErrorGroup } from "./error-groups";

const dayMs = 24 * 3600 * 1000;
/** As long as the outbox keeps reports. */
export const recentDays = 7;

/**
 * How often an error was seen on each of the last days, in UTC.
 *
 * @param now milliseconds since the epoch
 * @returns the oldest day first, today last
 */
export function countDays(events: ErrorGroup["events"], now: number): number[] {
  const counts = new Array<number>(recentDays).fill(0);
  const today = Math.floor(now / dayMs);
  for (const { at } of events) {
    const index = recentDays - 1 - (today - Math.floor(at / dayMs));
    const count = counts[index];
    if (count !== undefined) counts[index] = count + 1;
  }
  return counts;
}

/** The begin of each of these days in milliseconds since the epoch, the oldest first. */
export function startsOfDays(now: number): number[] {
  const today = Math.floor(now / dayMs);
  return Array.from({ length: recentDays }, (_, i) => (today - recentDays + 1 + i) * dayMs);
}
