/**
 * Envelopes that could not be delivered, each under a key of its own in `localStorage`, until they
 * can be, also by a later page. All tabs share them.
 *
 * Not IndexedDB: only `localStorage` can be written while the page is being left.
 */

/** Followed by the time at which it was stored, in milliseconds since the epoch. */
const prefix = "signpost-report-";
/** The same for envelopes that make room for errors. Such keys sort after the others. */
const expendablePrefix = `${prefix}x`;
const maxReports = 100;

/**
 * Stores an envelope. At the maximum the oldest one makes room, expendable ones first, but none makes
 * room for an envelope of less worth. If the browser has no room, expendable ones make room for others.
 *
 * @param expendable whether it holds neither errors nor feedback
 * @returns the envelopes that were dropped, the given one included
 * @throws DOMException if the browser has no room, or allows this page no storage
 */
export function storeReport(envelope: string, expendable = false): string[] {
  const keys = storedReports();
  const droppable = keys.filter(isExpendableKey);
  if (!expendable) droppable.push(...keys.filter((key) => !isExpendableKey(key)));
  const surplus = droppable.slice(0, Math.max(0, keys.length + 1 - maxReports));
  if (keys.length - surplus.length >= maxReports) return [envelope];
  const dropped = surplus.map(takeReport);
  const key = `${expendable ? expendablePrefix : prefix}${Date.now()}-${Math.random()}`;
  for (;;) {
    try {
      localStorage[key] = envelope;
      return dropped;
    } catch (error) {
      const next = expendable ? undefined : storedReports().find(isExpendableKey);
      if (!next) throw error;
      dropped.push(takeReport(next));
    }
  }
}

/**
 * The keys of all stored envelopes: errors and feedback first, then the expendable ones, the oldest
 * of each first.
 *
 * @throws DOMException if the browser allows this page no storage
 */
export function storedReports(): string[] {
  return Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .sort();
}

export function isExpendableKey(key: string): boolean {
  return key.startsWith(expendablePrefix);
}

function takeReport(key: string): string {
  const envelope = localStorage[key];
  localStorage.removeItem(key);
  return envelope;
}
