import type { Origin } from "@/lib/outbox/outbox";
import type { FiledError } from "../model/filed-errors";
import type { VisitsOfTrace } from "../model/filed-performance";
import { unknownRoute } from "../model/spans";
import { type Rating, rate, type Vital } from "../model/vitals";
import type { FormattedTime, Formatter } from "./formatter";
import { errorHref, routeHref } from "./hrefs";
import type { DrawnSpan, TracePicture } from "./trace-picture";

/** What `/reports/[group]` shows for a trace, with numbers and times in the page's language. */
export interface VisitView {
  kind: "visit";
  traceId: string;
  /** Of the part that began first; nothing where it has none. */
  route: string | undefined;
  /** The other visits of its route. */
  back: string;
  facts: VisitFacts;
  vitals: { vital: Vital; value: string; rating: Rating }[];
  /** The reports have been dropped, and only a summary is left. */
  gone: boolean;
  /** The marks below the bars: the begin, the end, and what is between. */
  ticks: string[];
  spans: SpanRow[];
  /** Number of spans that are not shown. */
  left: string | undefined;
  /** Number of page loads, navigations and requests whose reports are not read for this page. */
  leftParts: string | undefined;
  errors: VisitError[];
}

export interface VisitFacts {
  began: FormattedTime;
  duration: string;
  origins: Origin[];
  release: string | undefined;
  environment: string | undefined;
}

export interface SpanRow extends Omit<DrawnSpan, "start" | "duration"> {
  /** Since the begin of the visit. */
  start: string;
  duration: string;
  /** Where the bar begins and how long it is: 0 to 1000 along the axis. */
  bar: { from: number; length: number };
}

export interface VisitError extends Pick<FiledError, "eventId" | "kind" | "type" | "message"> {
  href: string;
  at: FormattedTime;
}

/** Parts are read and drawn. A visit has two, the browser's and the server's, or a few more. */
export const maxParts = 20;
/** Errors that are listed. */
export const maxErrors = 20;
const parts = 4;
/** Of the axis. A bar is never shorter, so that it can be seen. */
const wholeAxis = 1000;
const minLength = 3;

/**
 * @param errors of the trace, newest first
 * @param found of the trace's visits, those that are shown
 * @param picture nothing if the reports of the trace have been dropped
 */
export function visitView(
  errors: readonly FiledError[],
  { visits, left }: VisitsOfTrace,
  picture: TracePicture | undefined,
  format: Formatter,
): VisitView {
  const first = visits.reduce((one, other) => (other.at < one.at ? other : one));
  const longest = visits.reduce((most, { duration }) => Math.max(most, duration), 0);
  const { traceId } = first;
  const axis = picture?.axis ?? longest;
  return {
    kind: "visit",
    traceId,
    route: first.route === unknownRoute ? undefined : first.route,
    back: routeHref(first.route),
    facts: {
      began: format.time(first.at),
      duration: format.duration(picture?.duration ?? longest),
      origins: [...new Set(visits.map(({ origin }) => origin))].sort(),
      release: picture?.release,
      environment: picture?.environment,
    },
    vitals: (picture?.vitals ?? []).map(({ vital, value }) => ({
      vital,
      value: format.vital(vital, value),
      rating: rate(vital, value),
    })),
    gone: picture === undefined,
    ticks: Array.from({ length: parts + 1 }, (_, i) => format.duration((axis * i) / parts)),
    spans: (picture?.spans ?? []).map(({ start, duration: length, ...span }) => ({
      ...span,
      start: format.duration(start),
      duration: format.duration(length),
      bar: barOf(start, length, axis),
    })),
    left: picture && picture.left > 0 ? format.count(picture.left) : undefined,
    leftParts: left > 0 ? format.count(left) : undefined,
    errors: errors.map(({ group, eventId, kind, type, message, at }) => ({
      href: errorHref(group, eventId),
      eventId,
      kind,
      type,
      message,
      at: format.time(at),
    })),
  };
}

/** @param total of the axis; nothing has a length where it is 0 */
function barOf(start: number, duration: number, total: number): SpanRow["bar"] {
  const along = (ms: number) =>
    total > 0 ? Math.round(Math.min(Math.max(ms / total, 0), 1) * wholeAxis) : 0;
  const from = Math.min(along(start), wholeAxis - minLength);
  return { from, length: Math.max(along(start + duration) - from, minLength) };
}
