import { type EnvelopeItem, readEnvelope } from "@/lib/relay/envelope/read-envelope";
import type { StoredReport } from "@/lib/relay/outbox/outbox";
import { type ErrorRecord, readError } from "./error-records";
import { type FeedbackMessage, readFeedback, readUserReport } from "./feedback";
import {
  eventId,
  list,
  milliseconds,
  parseCounted,
  payloadLimits,
  type ReportContext,
} from "./fields";
import { type Measurements, readSpans, readTransaction } from "./measurements";
import { readSessions, type SessionCounts } from "./sessions";
import { maxSpans } from "./spans";

/** By item type, the kinds of which the inbox shows the number. A recording comes with its `replay_event`. */
const unshownKindOf = {
  log: "logs",
  metric: "metrics",
  trace_metric: "metrics",
  statsd: "metrics",
  check_in: "checkIns",
  session: "sessions",
  replay_event: "replays",
  profile: "profiles",
  profile_chunk: "profiles",
} as const;
export type UnshownKind = (typeof unshownKindOf)[keyof typeof unshownKindOf];
export const unshownKinds = [...new Set(Object.values(unshownKindOf))];

export type Unshown = Partial<Record<UnshownKind, number>>;

/** What is filed of one stored report. The pages of an error and of a visit read the rest. */
export interface Digest extends Measurements {
  errors: ErrorRecord[];
  feedback: FeedbackMessage[];
  sessions: SessionCounts[];
  unshown: Unshown;
  /** Items that could not be read, and records over the maximum. */
  unreadable: number;
}

/**
 * So that no client can fill the tables. The protocol has one event in an envelope, and a page load a
 * handful of vitals; only the server sends its spans in containers.
 */
const max = { events: 1, feedback: 1, samples: { browser: 50, server: maxSpans } };

/** @returns one of a report of which nothing is read */
export function digestOf(unshown: Unshown, unreadable: number): Digest {
  const nothing = { errors: [], samples: [], visits: [], feedback: [], sessions: [] };
  return { ...nothing, unshown, unreadable };
}

/** Reads one report. Never throws: what can't be read is counted. */
export function digest(report: StoredReport): Digest {
  const envelope = readEnvelope(report.envelope);
  if ("fault" in envelope) return digestOf({}, 1);
  const result = digestOf(unshownItems(envelope.items), 0);
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
  result.unreadable += result.samples.splice(max.samples[report.origin]).length;
  // Their spans are counted among the samples.
  result.visits.splice(max.samples[report.origin]);
  return result;
}

function isFull({ errors, feedback }: Digest, type: string): boolean {
  if (type === "event") return errors.length >= max.events;
  return type === "feedback" || type === "user_report" ? feedback.length >= max.feedback : false;
}

/** Adds an item to a digest. @returns whether the item could be read */
type Reader = (to: Digest, payload: Record<string, unknown>, context: ReportContext) => boolean;

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["event", (to, payload, context) => push(to.errors, readError(payload, context))],
  ["feedback", (to, payload, context) => push(to.feedback, readFeedback(payload, context))],
  ["user_report", (to, payload, context) => push(to.feedback, readUserReport(payload, context))],
  [
    "transaction",
    (to, payload, context) => add(to, readTransaction(payload, context), payload.spans),
  ],
  ["sessions", (to, payload, context) => to.sessions.push(...readSessions(payload, context)) >= 0],
  ["span", (to, payload, context) => add(to, readSpans(payload, context), payload.items)],
]);

/** @param spans of the item: those over the maximum are counted */
function add(to: Digest, found: Measurements | undefined, spans: unknown): boolean {
  to.unreadable += Math.max(list(spans).length - maxSpans, 0);
  if (!found) return false;
  to.samples.push(...found.samples);
  to.visits.push(...found.visits);
  return true;
}

function push<T>(to: T[], record: T | undefined): boolean {
  if (record !== undefined) to.push(record);
  return record !== undefined;
}

/** Sentry's containers hold no more logs or metrics. */
const maxInContainer = 1000;

/** Leaves out items of kinds that are shown, and those that count what was dropped. */
export function unshownItems(items: readonly EnvelopeItem[]): Unshown {
  const counts: Unshown = {};
  for (const { type, header } of items) {
    if (!Object.hasOwn(unshownKindOf, type)) continue;
    const kind = unshownKindOf[type as keyof typeof unshownKindOf];
    // A client's word.
    const given = Number.isInteger(header.item_count) ? Number(header.item_count) : 1;
    counts[kind] = (counts[kind] ?? 0) + Math.min(Math.max(given, 1), maxInContainer);
  }
  return counts;
}
