import { isExpendable } from "@/lib/envelope/categories";
import { readEnvelope } from "@/lib/envelope/read-envelope";
import type { StoredReport } from "@/lib/outbox/outbox";
import { type ErrorRecord, readError } from "./error-records";
import { type FeedbackMessage, readFeedback, readUserReport } from "./feedback-messages";
import { eventId, milliseconds, parseObject, type ReportContext } from "./fields";
import { readSpans, readTransaction, type Sample } from "./samples";
import { type Visit, visitsOfSpans, visitsOfTransaction } from "./visits";

/** What the inbox keeps in memory of one stored report. The page of an error reads the rest. */
export interface Digest {
  /** The report's id in the outbox. */
  id: number;
  /** Whether it is among the first to make room in the outbox. */
  expendable: boolean;
  errors: ErrorRecord[];
  samples: Sample[];
  visits: Visit[];
  feedback: FeedbackMessage[];
  /** Items of these kinds that could not be read, and records over the maximum. */
  unreadable: number;
}

/**
 * How much of one report is kept, so that no client can fill the memory. An envelope has one event
 * and a page load a handful of vitals; only the server sends its spans in containers.
 */
const max = { events: 10, samples: { browser: 50, server: 1000 } };

/** Reads one report. Never throws: what can't be read is counted. */
export function digest(report: StoredReport): Digest {
  const result: Digest = {
    id: report.id,
    expendable: isExpendable(report.categories),
    errors: [],
    samples: [],
    visits: [],
    feedback: [],
    unreadable: 0,
  };
  const envelope = readEnvelope(report.envelope);
  if ("fault" in envelope) return { ...result, unreadable: 1 };
  const context: ReportContext = {
    reportId: report.id,
    origin: report.origin,
    receivedAt: report.receivedAt,
    sentAt: milliseconds(envelope.header.sent_at),
    eventId: eventId(envelope.header.event_id),
  };
  for (const item of envelope.items) {
    const read = readers.get(item.type);
    if (!read) continue;
    const payload = parseObject(item.payload);
    if (!payload || !read(result, payload, context)) result.unreadable += 1;
  }
  result.unreadable +=
    cut(result.errors, max.events) +
    cut(result.feedback, max.events) +
    cut(result.samples, max.samples[report.origin]);
  // Their spans are counted among the samples.
  cut(result.visits, max.samples[report.origin]);
  return result;
}

/** Adds an item to a digest. @returns whether the item could be read */
type Reader = (to: Digest, payload: Record<string, unknown>, context: ReportContext) => boolean;

/** By item type; the inbox shows no others. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["event", (to, payload, context) => push(to.errors, readError(payload, context))],
  ["feedback", (to, payload, context) => push(to.feedback, readFeedback(payload, context))],
  ["user_report", (to, payload, context) => push(to.feedback, readUserReport(payload, context))],
  [
    "transaction",
    (to, payload, context) => {
      append(to.visits, visitsOfTransaction(payload, context));
      return append(to.samples, readTransaction(payload, context));
    },
  ],
  [
    "span",
    (to, payload, context) => {
      append(to.visits, visitsOfSpans(payload, context));
      return append(to.samples, readSpans(payload, context));
    },
  ],
]);

/** @returns how many were cut off */
function cut(records: unknown[], maxLength: number): number {
  return records.splice(maxLength).length;
}

function push<T>(to: T[], record: T | undefined): boolean {
  if (record !== undefined) to.push(record);
  return record !== undefined;
}

function append<T>(to: T[], records: T[] | undefined): boolean {
  for (const record of records ?? []) to.push(record);
  return records !== undefined;
}
