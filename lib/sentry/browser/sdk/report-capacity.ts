import {
  type Category,
  categoryOf,
  categorySet,
  priorityOf,
} from "@/lib/relay/envelope/categories";
import { reportKeys, reportStore, storeReport } from "@/lib/sentry/browser/first-load/report-store";

/** For the browser's storage, and the same for what the page holds. */
const maxReports = 100;
/** UTF-16 units, of which browsers allow an origin some five million in all. */
const maxLength = 1_000_000;

/**
 * Stores an envelope within bounds. Measurements are evicted first, oldest first; others only for
 * an envelope that is no measurement itself.
 *
 * @returns the envelopes that were evicted; the envelope itself among them, if it does not fit
 */
export function storeWithinBounds(envelope: string): string[] {
  const dropped: string[] = [];
  if (envelope.length > maxLength) return [envelope];
  const store = reportStore();
  for (;;) {
    const [errors, measurements] = keysByKind();
    const keys = [...measurements, ...errors];
    const length = keys.reduce((sum, key) => sum + (store[key]?.length ?? 0), envelope.length);
    const fits = keys.length < maxReports && length <= maxLength;
    if (fits && storeReport(envelope)) return dropped;
    const [key] = isMeasurement(envelope) ? measurements : keys;
    if (key === undefined) return [...dropped, envelope];
    dropped.push(store[key] ?? "");
    delete store[key];
  }
}

/** What is to be sent next: errors first, then the oldest. */
export function nextStored(): { envelope: string; remove(): void } | undefined {
  const store = reportStore();
  const [key] = keysByKind().flat();
  if (key === undefined) return undefined;
  return { envelope: store[key] ?? "", remove: () => void delete store[key] };
}

/**
 * The category of each item: after the envelope's header, each item takes two lines. What another
 * script has stored under our keys may be anything.
 */
export function categoriesIn(envelope: string): Category[] {
  return envelope
    .split("\n")
    .filter((line, i) => i % 2 === 1 && line !== "")
    .map((itemHeader) => categoryOf(/"type":"(\w+)"/.exec(itemHeader)?.[1] ?? ""));
}

/** Whether an envelope holds neither errors nor feedback. */
export function isMeasurement(envelope: string): boolean {
  return priorityOf(categorySet(categoriesIn(envelope))) === "low";
}

/** The keys of the stored envelopes by kind, the oldest of each first. */
function keysByKind(): [errors: string[], measurements: string[]] {
  const keys = reportKeys();
  const measurements = keys.filter((key) => isMeasurement(reportStore()[key] ?? ""));
  return [keys.filter((key) => !measurements.includes(key)), measurements];
}
