/**
 * Envelopes that could not be delivered, each under a key of its own in `localStorage`, until they
 * can be, also by a later page. All tabs share them. Where the browser has no room, or allows this
 * page no storage, the page holds them as long as it stays.
 *
 * Not IndexedDB: only `localStorage` can be written while the page is being left.
 *
 * report-capacity.ts reads them, and keeps the store within its bounds.
 */

/** Followed by when it was stored, in milliseconds since the epoch, and a number that counts up. */
const prefix = "signpost-report-";

/** Of as many digits for each report, so that the keys sort. */
let count = 100_000;
/** What no other page has to do with. */
export const held: Record<string, string> = {};

/** What all tabs share, if the browser allows it. */
export function shared(): Record<string, string> {
  try {
    // Android WebViews may be set to have no storage: null.
    return localStorage ?? held;
  } catch {
    return held;
  }
}

/** @returns its key */
export function storeReport(envelope: string): string {
  // Several may come in the same millisecond, also in two tabs.
  const key = `${prefix}${Date.now()}-${count++}-${Math.random()}`;
  try {
    shared()[key] = envelope;
  } catch {
    held[key] = envelope;
  }
  return key;
}

/** The keys of the stored envelopes, oldest first. */
export function reportKeys(): string[] {
  return Object.keys({ ...shared(), ...held })
    .filter((key) => key.startsWith(prefix))
    .sort();
}
