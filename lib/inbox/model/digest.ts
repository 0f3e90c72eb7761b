import { readEnvelope } from "@/lib/envelope/read-envelope";
import type { StoredReport } from "@/lib/outbox/outbox";
import { type ErrorRecord, readError } from "./error-records";
import { type FeedbackMessage, readFeedback, readUserReport } from "./feedback-messages";
import {
  eventId,
  list,
  milliseconds,
  parseCounted,
  payloadLimits,
  type ReportContext,
} from "./fields";
import { type Measurements, readSpans, readTransaction } from "./measurements";
import { maxSpans } from "./spans";
import { type Unshown, unshownItems } from "./unshown";

/** What is filed of one stored report. The pages of an error and of a visit read the rest. */
export interface Digest extends Measurements {
  errors: ErrorRecord[];
  feedback: FeedbackMessage[];
  /** Items of kinds that are not shown. */
  unshown: Unshown;
  /** Items of these kinds that could not be read, and records over the maximum. */
  unreadable: number;
}

/**
 * How much of one report is filed, so that no client can fill the tables. The protocol has one event
 * in an envelope, and a page load has a handful of vitals; only the server sends its spans in
 * containers.
 */
const max = { events: 1, feedback: 1, samples: { browser: 50, server: maxSpans } };

/** Reads one report. Never throws: what can't be read is counted. */
export function digest(report: StoredReport): Digest {
  const result: Digest = {
    errors: [],
    samples: [],
    visits: [],
    feedback: [],
    unshown: {},
    unreadable: 0,
  };
  const envelope = readEnvelope(report.envelope);
  if ("fault" in envelope) return { ...result, unreadable: 1 };
  result.unshown = unshownItems(envelope.items);
  const context: ReportContext = {
    reportId: report.id,
    origin: report.origin,
    receivedAt: report.receivedAt,
    sentAt: milliseconds(envelope.header.sent_at),
    eventId: eventId(envelope.header.event_id),
  };
  // Of all items together: one after the other, each could be as large as the whole.
  let valuesLeft = payloadLimits.container.maxValues;
  for (const { type, payload } of envelope.items) {
    const read = readers.get(type);
    if (!read) continue;
    const parsed = isFull(result, type) ? undefined : parseCounted(payload, type, valuesLeft);
    valuesLeft -= parsed?.values ?? 0;
    if (!parsed || !read(result, parsed.payload, context)) result.unreadable += 1;
  }
  result.unreadable += cut(result.samples, max.samples[report.origin]);
  // Their spans are counted among the samples.
  cut(result.visits, max.samples[report.origin]);
  return result;
}

/** Whether no further item of this type is kept. */
function isFull({ errors, feedback }: Digest, type: string): boolean {
  if (type === "event") return errors.length >= max.events;
  return type === "feedback" || type === "user_report" ? feedback.length >= max.feedback : false;
}

/** Adds an item to a digest. @returns whether the item could be read */
type Reader = (to: Digest, payload: Record<string, unknown>, context: ReportContext) => boolean;

/** By item type; of some others the inbox shows the number, see `unshownItems`. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["event", (to, payload, context) => push(to.errors, readError(payload, context))],
  ["feedback", (to, payload, context) => push(to.feedback, readFeedback(payload, context))],
  ["user_report", (to, payload, context) => push(to.feedback, readUserReport(payload, context))],
  [
    "transaction",
    (to, payload, context) => add(to, readTransaction(payload, context), payload.spans),
  ],
  ["span", (to, payload, context) => add(to, readSpans(payload, context), payload.items)],
]);

/** @param spans those of the item: no more than a maximum is looked at, and the others are counted */
function add(to: Digest, found: Measurements | undefined, spans: unknown): boolean {
  to.unreadable += Math.max(list(spans).length - maxSpans, 0);
  if (!found) return false;
  to.samples.push(...found.samples);
  to.visits.push(...found.visits);
  return true;
}

/** @returns how many were cut off */
function cut(records: unknown[], maxLength: number): number {
  return records.splice(maxLength).length;
}

function push<T>(to: T[], record: T | undefined): boolean {
  if (record !== undefined) to.push(record);
  return record !== undefined;
}
