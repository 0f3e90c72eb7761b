export const dayMs = 24 * 3600 * 1000;
/** Of an error these days are shown. */
export const recentDays = 7;

/** The begin of each of these days in milliseconds since the epoch, in UTC, the oldest first. */
export function startsOfDays(now: number): number[] {
  const today = Math.floor(now / dayMs);
  return Array.from({ length: recentDays }, (_, i) => (today - recentDays + 1 + i) * dayMs);
}
