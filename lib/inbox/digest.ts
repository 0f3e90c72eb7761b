import { readEnvelope } from "@/lib/envelope/read-envelope";
import type { StoredReport } from "@/lib/outbox/outbox";
import type { Arrival } from "./arrival";
import { type ErrorRecord, readError } from "./error-record";
import { type FeedbackRecord, readFeedback, readUserReport } from "./feedback-record";
import { eventId, milliseconds, parseObject } from "./fields";
import { readSpans, readTransaction, type Sample } from "./samples";

/** What the inbox remembers of one stored report; the rest is read again when a page asks for it. */
export interface Digest {
  /** The report's id in the outbox. */
  id: number;
  errors: ErrorRecord[];
  samples: Sample[];
  feedback: FeedbackRecord[];
  /** Items that should have held one of these and couldn't be read, or were too many. */
  unreadable: number;
}

/**
 * How much one report may add. An envelope holds one event, a page load has a handful of vitals;
 * only the server's own spans come by the container. Whoever sends more fills no memory with it.
 */
const most = { events: 10, samples: { browser: 50, server: 1000 } };

/** Reads one report. Never throws on what it holds: what can't be read is counted. */
export function digest(report: StoredReport): Digest {
  const result: Digest = { id: report.id, errors: [], samples: [], feedback: [], unreadable: 0 };
  const envelope = readEnvelope(report.envelope);
  if ("fault" in envelope) return { ...result, unreadable: 1 };
  const arrival: Arrival = {
    reportId: report.id,
    origin: report.origin,
    receivedAt: report.receivedAt,
    sentAt: milliseconds(envelope.header.sent_at),
    eventId: eventId(envelope.header.event_id),
  };
  for (const item of envelope.items) {
    const add = readers.get(item.type);
    if (!add) continue;
    const payload = parseObject(item.payload);
    if (!payload || !add(result, payload, arrival)) result.unreadable += 1;
  }
  result.unreadable +=
    cut(result.errors, most.events) +
    cut(result.feedback, most.events) +
    cut(result.samples, most.samples[report.origin]);
  return result;
}

type Reader = (to: Digest, payload: Record<string, unknown>, arrival: Arrival) => boolean;

/** One reader per item type shown; each adds to the digest, or says that it could not. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["event", (to, payload, arrival) => push(to.errors, readError(payload, arrival))],
  ["feedback", (to, payload, arrival) => push(to.feedback, readFeedback(payload, arrival))],
  ["user_report", (to, payload, arrival) => push(to.feedback, readUserReport(payload, arrival))],
  ["transaction", (to, payload, arrival) => append(to.samples, readTransaction(payload, arrival))],
  ["span", (to, payload, arrival) => append(to.samples, readSpans(payload, arrival))],
]);

/** @returns how many were cut off */
function cut(records: unknown[], length: number): number {
  return records.splice(length).length;
}

function push<T>(to: T[], record: T | undefined): boolean {
  if (record !== undefined) to.push(record);
  return record !== undefined;
}

function append<T>(to: T[], records: T[] | undefined): boolean {
  for (const record of records ?? []) to.push(record);
  return records !== undefined;
}
