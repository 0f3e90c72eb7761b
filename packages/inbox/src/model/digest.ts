import { type EnvelopeItem, readEnvelope } from "@signpost/relay/envelope";
import type { StoredReport } from "@signpost/relay/store";
import { type ErrorRecord, readError } from "./error-records.ts";
import { type FeedbackMessage, readFeedback } from "./feedback.ts";
import {
  eventId,
  type Fields,
  list,
  milliseconds,
  parseCounted,
  payloadLimits,
  type ReportContext,
} from "./fields.ts";
import { type Measurement, readSpans, readTransaction } from "./measurements.ts";
import { readSessions, type SessionCounts } from "./sessions.ts";
import { maxSpans } from "./spans.ts";

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
export type Unshown = Partial<Record<(typeof unshownKindOf)[keyof typeof unshownKindOf], number>>;

/** What is filed of one stored report. The pages of an error and of a visit read the rest. */
export interface Digest {
  errors: ErrorRecord[];
  feedback: FeedbackMessage[];
  measurements: Measurement[];
  sessions: SessionCounts[];
  unshown: Unshown;
  /** Items that could not be read, and records over the maximum. */
  unreadable: number;
}

type Kind = "errors" | "feedback" | "measurements" | "sessions";
type Found = Digest[Kind] | Digest[Kind][number] | undefined;

/** What is read of each type of item. */
const readers = new Map<string, [Kind, (payload: Fields, context: ReportContext) => Found]>([
  ["event", ["errors", readError]],
  ["feedback", ["feedback", readFeedback]],
  ["user_report", ["feedback", readFeedback]],
  ["sessions", ["sessions", readSessions]],
  ["transaction", ["measurements", readTransaction]],
  ["span", ["measurements", readSpans]],
]);

/**
 * So that no client can fill the tables. The protocol has one event in an envelope, and a page load a
 * handful of vitals; only the server sends its spans in containers.
 */
const max = { errors: 1, feedback: 1, measurements: { browser: 100, server: 2 * maxSpans } };

/** @returns one of a report of which nothing is read */
export function digestOf(unshown: Unshown, unreadable: number): Digest {
  return { errors: [], feedback: [], measurements: [], sessions: [], unshown, unreadable };
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
    envelope: report.envelope,
    sentAt: milliseconds(envelope.header.sent_at),
    eventId: eventId(envelope.header.event_id),
  };
  // Of all items together: one after the other, each could be as large as the whole.
  let valuesLeft = payloadLimits.container.maxValues;
  for (const { type, payload } of envelope.items) {
    const [kind, read] = readers.get(type) ?? [];
    if (!kind) continue;
    const isFull = (kind === "errors" || kind === "feedback") && result[kind].length >= max[kind];
    const parsed = isFull ? undefined : parseCounted(payload, type, valuesLeft);
    valuesLeft -= parsed?.values ?? 0;
    const found = parsed && read?.(parsed.payload, context);
    if (found === undefined) result.unreadable += 1;
    else (result[kind] as unknown[]).push(...[found].flat());
    const { items, spans } = kind === "measurements" ? (parsed?.payload ?? {}) : {};
    result.unreadable += Math.max(list(items ?? spans).length - maxSpans, 0);
  }
  result.unreadable += result.measurements.splice(max.measurements[report.origin]).length;
  return result;
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
