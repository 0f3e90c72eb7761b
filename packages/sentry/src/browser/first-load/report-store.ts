/**
 * Envelopes that could not be delivered, each under a key of its own in `localStorage`, until they
 * can be, also by a later page. All tabs share them. Where the browser has no room, or allows this
 * page no storage, the page holds them as long as it stays.
 *
 * Not IndexedDB: only `localStorage` can be written while the page is being left.
 *
 * report-capacity.ts reads them, and makes room by what they are.
 */

/** Followed by when it was stored, in milliseconds since the epoch, and a number that counts up. */
const prefix = "signpost-report-";

/** In the browser's storage and held by the page, together. */
export const maxReports = 100;
/** UTF-16 units in the origin's storage, of which browsers allow some five million: the rest is left to the app. */
const maxStored = 3_000_000;

/** Of as many digits for each report, so that the keys sort. */
let count = 100_000;
/** What no other page has to do with. */
export const held: Record<string, string> = {};

/**
 * Stores an envelope, unless so many wait already that it is dropped.
 *
 * @returns its key
 */
export function storeReport(envelope: string): string {
  // Several may come in the same millisecond, also in two tabs.
  const key = `${prefix}${Date.now()}-${count++}-${Math.random()}`;
  if (reportKeys()[maxReports - 1]) return key;
  try {
    (JSON.stringify(localStorage).length > maxStored ? held : localStorage)[key] = envelope;
  } catch {
    held[key] = envelope;
  }
  return key;
}

/** The keys of the stored envelopes, oldest first. */
export function reportKeys(): string[] {
  const keys = Object.keys(held);
  try {
    // Not the values: the app's own are there, too. Android WebViews may be set to have no storage: null.
    keys.push(...Object.keys(localStorage));
  } catch {}
  return keys.filter((key) => key.startsWith(prefix)).sort();
}
