/**
 * Envelopes that could not be delivered, each under a key of its own in `localStorage`, until they
 * can be, also by a later page. All tabs share them.
 *
 * Not IndexedDB: only `localStorage` can be written while the page is being left.
 */

const prefix = "signpost-report-";
const maxReports = 100;

/**
 * Stores an envelope; the oldest ones make room.
 *
 * @returns how many were dropped for it
 * @throws DOMException if the browser has no room, or allows this page no storage
 */
export function storeReport(envelope: string): number {
  const keys = storedReports();
  const surplus = keys.slice(0, Math.max(0, keys.length + 1 - maxReports));
  for (const key of surplus) localStorage.removeItem(key);
  localStorage[`${prefix}${Date.now()}-${Math.random()}`] = envelope;
  return surplus.length;
}

/** The keys of all stored envelopes, oldest first. */
export function storedReports(): string[] {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(prefix))
      .sort();
  } catch {
    // The browser allows this page no storage.
    return [];
  }
}

/** @returns when an envelope was stored, in milliseconds since the epoch */
export function storedAt(key: string): number {
  return Number.parseInt(key.slice(prefix.length), 10);
}
