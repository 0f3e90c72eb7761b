import type { ErrorGroup } from "@/lib/inbox/error-groups";
import type { EventDetail, Frame, Pair } from "@/lib/inbox/event-detail";
import type { Contents } from "@/lib/inbox/report-index";
import { errorHref } from "./error-href";
import { aboutErrors, type FeedbackRow, feedbackRow } from "./feedback-row";
import type { Formatter, Moment } from "./format";
import { sidesOf } from "./list-view";
import type { InboxTexts } from "./texts";

/** Frames that stand together: own ones each open, those of libraries folded. */
export interface FrameGroup {
  own: boolean;
  frames: Frame[];
}

export interface Crumb {
  time: { iso: string; clock: string } | undefined;
  category: string | undefined;
  level: string | undefined;
  message: string | undefined;
  data: Pair[];
}

export interface Occurrence {
  eventId: string;
  href: string;
  at: Moment;
  route: string | undefined;
  release: string | undefined;
  side: string;
  current: boolean;
}

/** What the page of one error shows, ready to be written out. */
export interface ErrorView {
  type: string;
  message: string;
  facts: [label: string, value: string | Moment, kind?: "code"][];
  exceptions: { type: string; message: string; frames: FrameGroup[] }[];
  /** The event's report has been dropped while its summary still stands. */
  gone: boolean;
  breadcrumbs: Crumb[];
  tags: Pair[];
  contexts: { name: string; entries: Pair[] }[];
  occurrences: Occurrence[];
  count: string;
  feedback: FeedbackRow[];
}

const mostOccurrences = 20;

/**
 * @param chosen the event to show, one of the group's
 * @param detail its report read anew, or nothing if it is gone
 */
export function errorView(
  contents: Contents,
  group: ErrorGroup,
  chosen: string,
  detail: EventDetail | undefined,
  texts: InboxTexts,
  write: Formatter,
): ErrorView {
  const { groups } = aboutErrors(contents);
  return {
    type: group.type,
    message: detail?.exceptions[0]?.message ?? group.message,
    facts: facts(group, chosen, detail, texts, write),
    exceptions: (detail?.exceptions ?? []).map((one) => ({
      ...one,
      frames: foldFrames(one.frames),
    })),
    gone: detail === undefined,
    breadcrumbs: (detail?.breadcrumbs ?? []).map(({ at, ...rest }) => ({
      time:
        at === undefined ? undefined : { iso: new Date(at).toISOString(), clock: write.clock(at) },
      ...rest,
    })),
    tags: detail?.tags ?? [],
    contexts: detail?.contexts ?? [],
    occurrences: group.events.slice(0, mostOccurrences).map((event) => ({
      eventId: event.eventId,
      href: errorHref(group.id, event.eventId),
      at: write.moment(event.at),
      route: event.route,
      release: event.release,
      side: texts[event.origin],
      current: event.eventId === chosen,
    })),
    count: write.count(group.events.length),
    feedback: contents.feedback
      .filter((one) => one.about !== undefined && groups.get(one.about) === group)
      .map((one) => ({ ...feedbackRow(one, groups, texts, write), about: undefined })),
  };
}

function facts(
  group: ErrorGroup,
  chosen: string,
  detail: EventDetail | undefined,
  texts: InboxTexts,
  write: Formatter,
): ErrorView["facts"] {
  const handled = detail?.handled;
  const known: [string, string | Moment | undefined, "code"?][] = [
    [texts.times, write.count(group.events.length)],
    [texts.firstSeen, write.moment(group.firstAt)],
    [texts.lastSeen, write.moment(group.lastAt)],
    [texts.side, sidesOf(group, texts)],
    [texts.routes, some(group.routes), "code"],
    [texts.releases, some(group.releases), "code"],
    [texts.environment, detail?.environment, "code"],
    [texts.level, detail?.level, "code"],
    [texts.handled, handled === undefined ? undefined : handled ? texts.yes : texts.no],
    [texts.request, detail?.request, "code"],
    [texts.reference, chosen, "code"],
    [texts.trace, detail?.traceId, "code"],
  ];
  return known.filter((fact): fact is ErrorView["facts"][number] => fact[1] !== undefined);
}

function some(values: string[]): string | undefined {
  if (values.length === 0) return undefined;
  return values.slice(0, 5).join("  ") + (values.length > 5 ? " …" : "");
}

/** Puts frames of libraries that follow one another together. */
export function foldFrames(frames: Frame[]): FrameGroup[] {
  const groups: FrameGroup[] = [];
  for (const frame of frames) {
    const last = groups[groups.length - 1];
    if (last && !last.own && !frame.own) last.frames.push(frame);
    else groups.push({ own: frame.own, frames: [frame] });
  }
  return groups;
}
