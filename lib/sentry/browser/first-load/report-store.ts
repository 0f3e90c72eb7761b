/**
 * Envelopes that could not be delivered, each under a key of its own in `localStorage`, until they
 * can be, also by a later page. All tabs share them. Where the browser allows this page no storage, the
 * page holds them as long as it stays.
 *
 * Not IndexedDB: only `localStorage` can be written while the page is being left.
 *
 * report-capacity.ts keeps the store within its bounds.
 */

/** Followed by when it was stored, in milliseconds since the epoch, and a number that counts up. */
const prefix = "signpost-report-";

let count = 0;
const held: Record<string, string> = {};

/** What holds the envelopes by key, among other things. */
export function reportStore(): Record<string, string> {
  try {
    // Android WebViews may be set to have no storage: null.
    return localStorage ?? held;
  } catch {
    // The browser allows this page no storage.
    return held;
  }
}

/** @returns whether there was room */
export function storeReport(envelope: string): boolean {
  // Several may come in the same millisecond, also in two tabs.
  const key = `${prefix}${Date.now()}-${String(count++).padStart(6, "0")}-${Math.random()}`;
  try {
    reportStore()[key] = envelope;
    return true;
  } catch {
    return false;
  }
}

/** The keys of the stored envelopes, oldest first. */
export function reportKeys(): string[] {
  return Object.keys(reportStore())
    .filter((key) => key.startsWith(prefix))
    .sort();
}
