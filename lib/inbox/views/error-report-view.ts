import type { Origin } from "@/lib/outbox/outbox";
import { type ErrorGroup, type GroupStatus, startsOfDays } from "../model/error-groups";
import type { EventKind } from "../model/error-records";
import type { Breadcrumb, EventDetail, Frame, ReportedException } from "../model/event-detail";
import type { FiledError } from "../model/filed-errors";
import type { MessagePage } from "../model/filed-feedback";
import { type FeedbackRow, feedbackRow } from "./feedback-rows";
import type { FormattedTime, Formatter } from "./formatter";
import { downloadHref, errorHref, visitHref } from "./hrefs";

/** What `/reports/[group]` shows, with numbers and times written in the page's language. */
export interface ErrorReportView {
  kind: "error";
  /** Id of the group. */
  id: string;
  eventKind: EventKind;
  type: string;
  message: string;
  status: GroupStatus;
  /** Seen for the first time in the release that runs now. */
  isNew: boolean;
  /** The last days, today last. */
  days: DayCount[];
  /** The event as JSON; nothing if its report has been dropped. */
  download: string | undefined;
  /** The page of the visit in which it happened, where that was measured. */
  visit: string | undefined;
  facts: ErrorFacts;
  /** The reported one, then its causes. */
  exceptions: (Omit<ReportedException, "frames"> & { frames: FrameGroup[] })[];
  /** The event's report has been dropped, and only its summary is left. */
  gone: boolean;
  breadcrumbs: BreadcrumbRow[];
  tags: EventDetail["tags"];
  contexts: EventDetail["contexts"];
  occurrences: Occurrence[];
  feedback: FeedbackRow[];
  /** Number of older messages that are not shown. */
  leftMessages: string | undefined;
}

export interface DayCount {
  /** Day and month. */
  day: string;
  count: string;
  /** 0 to 1, of the day on which it was seen most often. */
  share: number;
}

export interface ErrorFacts {
  count: string;
  first: FormattedTime;
  last: FormattedTime;
  origins: Origin[];
  /** The newest ones. */
  routes: string | undefined;
  releases: string | undefined;
  environment: string | undefined;
  level: string | undefined;
  handled: boolean | undefined;
  request: string | undefined;
  /** The server that took the report; nothing where all are of one machine. */
  server: string | undefined;
  /** The id of the event shown. */
  reference: string;
  traceId: string | undefined;
}

/** Neighbouring frames of libraries, or one of the app's own. */
export interface FrameGroup {
  own: boolean;
  frames: Frame[];
}

export interface BreadcrumbRow extends Omit<Breadcrumb, "at"> {
  /** `clock` is hours, minutes and seconds in UTC. */
  time: { iso: string; clock: string } | undefined;
}

/** One of the latest events of a group. */
export interface Occurrence {
  eventId: string;
  href: string;
  at: FormattedTime;
  route: string | undefined;
  release: string | undefined;
  origin: Origin;
  /** Whether it is the one that the page shows. */
  current: boolean;
}

/** The newest errors of the group that are listed. */
export const maxOccurrences = 20;
/** The newest messages about it that are shown. */
export const maxMessages = 40;
/** Routes and releases listed among the facts. */
const maxListed = 5;

/** What the page of an error is made of. */
export interface ErrorReportRequest {
  group: ErrorGroup;
  /** The error to show, one of the group's. */
  event: FiledError;
  /** The newest errors of the group. */
  occurrences: readonly FiledError[];
  /** Read from the event's report; nothing if that has been dropped. */
  detail: EventDetail | undefined;
  /** The frames of its exceptions, as they were resolved when it was filed. */
  frames: Frame[][] | undefined;
  /** The newest of what was written about the group. */
  feedback: MessagePage;
  /** Whether the visit in which it happened was measured. */
  isMeasured: boolean;
  server: string | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

export function errorReportView(asked: ErrorReportRequest, format: Formatter): ErrorReportView {
  const { group, event, detail, feedback } = asked;
  const { eventId, traceId } = event;
  const left = feedback.total - feedback.messages.length;
  return {
    kind: "error",
    id: group.id,
    eventKind: group.kind,
    type: group.type,
    message: detail?.exceptions[0]?.message ?? group.message,
    status: group.status,
    isNew: group.isNew,
    days: dayCounts(group, asked.now, format),
    download: detail && downloadHref(group.id, eventId),
    visit: traceId !== null && asked.isMeasured ? visitHref(traceId) : undefined,
    facts: {
      count: format.count(group.count),
      first: format.time(group.firstAt),
      last: format.time(group.lastAt),
      origins: group.origins,
      routes: listed(group.routes),
      releases: listed(group.releases),
      environment: event.environment ?? undefined,
      level: detail?.level,
      handled: detail?.handled,
      request: detail?.request,
      server: asked.server,
      reference: eventId,
      traceId: traceId ?? undefined,
    },
    exceptions: exceptionsOf(asked),
    gone: detail === undefined,
    breadcrumbs: (detail?.breadcrumbs ?? []).map(({ at, ...rest }) => ({
      time:
        at === undefined
          ? undefined
          : { iso: new Date(at).toISOString(), clock: format.timeOfDay(at) },
      ...rest,
    })),
    tags: detail?.tags ?? [],
    contexts: detail?.contexts ?? [],
    occurrences: asked.occurrences.map((event) => ({
      eventId: event.eventId,
      href: errorHref(group.id, event.eventId),
      at: format.time(event.at),
      route: event.route ?? undefined,
      release: event.release ?? undefined,
      origin: event.origin,
      current: event.eventId === eventId,
    })),
    // On the page of the error that they are about.
    feedback: feedback.messages.map((one) => ({ ...feedbackRow(one, format), about: undefined })),
    leftMessages: left > 0 ? format.count(left) : undefined,
  };
}

/** The frames as they were filed: later, the maps of their build may be gone. */
function exceptionsOf({
  event,
  detail,
  frames,
}: ErrorReportRequest): ErrorReportView["exceptions"] {
  const { type, message } = event;
  const reported = detail?.exceptions ?? (frames ? [{ type, message, frames: [] }] : []);
  return reported.map((one, i) => ({ ...one, frames: groupFrames(frames?.[i] ?? one.frames) }));
}

function dayCounts({ days: counts }: ErrorGroup, now: number, format: Formatter): DayCount[] {
  const most = Math.max(...counts, 1);
  const starts = startsOfDays(now);
  return counts.map((count, i) => ({
    day: format.day(starts[i] ?? now),
    count: format.count(count),
    share: count / most,
  }));
}

function listed(values: readonly string[]): string | undefined {
  if (values.length === 0) return undefined;
  return values.slice(0, maxListed).join("  ") + (values.length > maxListed ? " …" : "");
}

function groupFrames(frames: Frame[]): FrameGroup[] {
  const groups: FrameGroup[] = [];
  for (const frame of frames) {
    const last = groups.at(-1);
    if (last && !last.own && !frame.own) last.frames.push(frame);
    else groups.push({ own: frame.own, frames: [frame] });
  }
  return groups;
}
