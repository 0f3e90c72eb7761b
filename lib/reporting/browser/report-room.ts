import { reportKeys, reportStores, writeReport } from "./report-store";

/** For the browser's storage, and the same for what the page holds. */
const maxReports = 100;
/** UTF-16 units, of which browsers allow an origin some five million in all. */
const maxLength = 1_000_000;

/**
 * Stores an envelope within bounds. Measurements make room first, oldest first; then, for what is no
 * measurement, the oldest other envelopes.
 *
 * @returns the envelopes that were dropped for it; or the envelope itself, if there is no room
 */
export function storeWithinBounds(envelope: string): string[] {
  const dropped: string[] = [];
  if (envelope.length > maxLength) return [envelope];
  for (const store of reportStores()) {
    const keys = reportKeys(store);
    let length = keys.reduce((sum, key) => sum + (store[key]?.length ?? 0), envelope.length);
    let count = keys.length;
    const expendable = keysToDrop(store, keys, isMeasurement(envelope));
    for (;;) {
      const fits = count < maxReports && length <= maxLength;
      if (fits && writeReport(store, envelope)) return dropped;
      const key = expendable.shift();
      if (key === undefined) break;
      const old = store[key] ?? "";
      delete store[key];
      dropped.push(old);
      length -= old.length;
      count--;
    }
  }
  return [...dropped, envelope];
}

/** The type of an envelope's first item. An SDK's envelope has no other that matters here. */
export function itemType(envelope: string): string {
  return /\n\{"type":"(\w+)"/.exec(envelope)?.[1] ?? "";
}

function isMeasurement(envelope: string): boolean {
  return !/event|feedback|user_report/.test(itemType(envelope));
}

/** The keys of what may make room, in that order. */
function keysToDrop(store: Record<string, string>, keys: string[], forMeasurement: boolean) {
  const measurements = keys.filter((key) => isMeasurement(store[key] ?? ""));
  if (forMeasurement) return measurements;
  return [...measurements, ...keys.filter((key) => !measurements.includes(key))];
}
