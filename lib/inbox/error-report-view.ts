import type { Origin } from "@/lib/outbox/outbox";
import type { ErrorGroup } from "./error-groups";
import type { EventDetail, Frame, Pair } from "./event-detail";
import { type FeedbackRow, feedbackLinks, feedbackRow } from "./feedback-rows";
import type { FormattedTime, Formatter } from "./formatter";
import { errorHref } from "./hrefs";
import type { Contents } from "./report-index";

/** What `/reports/[group]` shows, with numbers and times written in the page's language. */
export interface ErrorReportView {
  type: string;
  message: string;
  facts: ErrorFacts;
  /** The reported one, then its causes. */
  exceptions: { type: string; message: string; frames: FrameGroup[] }[];
  /** The event's report has been dropped, and only its summary is left. */
  gone: boolean;
  breadcrumbs: BreadcrumbRow[];
  tags: Pair[];
  contexts: { name: string; entries: Pair[] }[];
  occurrences: Occurrence[];
  feedback: FeedbackRow[];
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
  /** The id of the event shown. */
  reference: string;
  traceId: string | undefined;
}

/** Neighbouring frames of libraries, or one of the app's own. */
export interface FrameGroup {
  own: boolean;
  frames: Frame[];
}

export interface BreadcrumbRow {
  /** `clock` is hours, minutes and seconds in UTC. */
  time: { iso: string; clock: string } | undefined;
  category: string | undefined;
  level: string | undefined;
  message: string | undefined;
  data: Pair[];
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

const maxOccurrences = 20;
/** Routes and releases listed among the facts. */
const maxListed = 5;

/**
 * @param eventId the event to show, one of the group's
 * @param detail read from the event's report; nothing if that has been dropped
 */
export function errorReportView(
  contents: Contents,
  group: ErrorGroup,
  eventId: string,
  detail: EventDetail | undefined,
  format: Formatter,
): ErrorReportView {
  const { groups } = feedbackLinks(contents);
  return {
    type: group.type,
    message: detail?.exceptions[0]?.message ?? group.message,
    facts: {
      count: format.count(group.events.length),
      first: format.time(group.firstAt),
      last: format.time(group.lastAt),
      origins: group.origins,
      routes: listed(group.routes),
      releases: listed(group.releases),
      environment: detail?.environment,
      level: detail?.level,
      handled: detail?.handled,
      request: detail?.request,
      reference: eventId,
      traceId: detail?.traceId,
    },
    exceptions: (detail?.exceptions ?? []).map((one) => ({
      ...one,
      frames: groupFrames(one.frames),
    })),
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
    occurrences: group.events.slice(0, maxOccurrences).map((event) => ({
      eventId: event.eventId,
      href: errorHref(group.id, event.eventId),
      at: format.time(event.at),
      route: event.route,
      release: event.release,
      origin: event.origin,
      current: event.eventId === eventId,
    })),
    feedback: contents.feedback
      .filter((one) => one.about !== undefined && groups.get(one.about) === group)
      .map((one) => ({ ...feedbackRow(one, groups, format), about: undefined })),
  };
}

function listed(values: string[]): string | undefined {
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
