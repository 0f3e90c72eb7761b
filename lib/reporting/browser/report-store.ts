/**
 * Envelopes that could not be delivered, each under a key of its own in `localStorage`, until they
 * can be, also by a later page. All tabs share them.
 *
 * Not IndexedDB: only `localStorage` can be written while the page is being left.
 */

/** Followed by the time at which it was stored, in milliseconds since the epoch. */
const prefix = "signpost-report-";
const maxReports = 100;

/**
 * Stores an envelope; the oldest ones make room.
 *
 * @returns how many were dropped for it
 * @throws DOMException if the browser has no room, or allows this page no storage
 */
export function storeReport(envelope: string): number {
  const surplus = storedReports().slice(0, 1 - maxReports);
  for (const key of surplus) localStorage.removeItem(key);
  localStorage[`${prefix}${Date.now()}-${Math.random()}`] = envelope;
  return surplus.length;
}

/**
 * The keys of all stored envelopes, oldest first.
 *
 * @throws DOMException if the browser allows this page no storage
 */
export function storedReports(): string[] {
  return Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .sort();
}
