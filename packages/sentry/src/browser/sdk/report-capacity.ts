import { categoryOf, categorySet, priorityOf } from "@signpost/relay/categories";
import { held, maxReports, reportKeys, storeReport } from "../first-load/report-store.ts";

/** UTF-16 units, of which browsers allow an origin some five million in all. */
const maxLength = 1_000_000;

/**
 * Stores an envelope within bounds. Measurements are evicted first, oldest first; others only for
 * an envelope that is no measurement itself.
 *
 * @returns its key; nothing for what does not fit, and is dropped
 */
export function storeWithinBounds(envelope: string): string | undefined {
  if (envelope.length > maxLength) return undefined;
  // Once for each at most: another script may keep what is taken from the storage.
  for (const _ of reportKeys()) {
    const keys = reportKeys();
    const length = keys.reduce((sum, key) => sum + textOf(key).length, envelope.length);
    if (keys.length < maxReports && length <= maxLength) break;
    const measurement = keys.find((key) => isMeasurement(textOf(key)));
    const key = measurement ?? (isMeasurement(envelope) ? undefined : keys[0]);
    if (key === undefined) return undefined;
    removeReport(key);
  }
  return storeReport(envelope);
}

/** @returns nothing if another tab has sent it, or it was evicted */
export function readReport(key: string): string | undefined {
  try {
    return held[key] ?? localStorage[key];
  } catch {
    // The browser forbids it.
    return undefined;
  }
}

export function removeReport(key: string): void {
  delete held[key];
  try {
    delete localStorage[key];
  } catch {}
}

/** The keys of the stored envelopes: errors first, the oldest of each kind first. */
export function keysToSend(): string[] {
  const isLow = (key: string) => Number(isMeasurement(textOf(key)));
  return reportKeys().sort((a, b) => isLow(a) - isLow(b));
}

function textOf(key: string): string {
  return readReport(key) ?? "";
}

/**
 * Whether an envelope holds neither errors nor feedback: after its header, each item takes two lines.
 * What another script has stored under our keys may be anything.
 */
export function isMeasurement(envelope: string): boolean {
  const headers = envelope.split("\n").filter((line, i) => i % 2 === 1 && line !== "");
  const types = headers.map((header) => /"type":"(\w+)"/.exec(header)?.[1] ?? "");
  return priorityOf(categorySet(types.map(categoryOf))) === "low";
}
