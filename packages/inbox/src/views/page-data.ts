import type { Origin, StoredReport } from "@signpost/relay/store";
import { type ErrorFilter, type FilterValues, searchedUser } from "../model/error-filter.ts";
import {
  type ErrorGroup,
  type ErrorGroups,
  type GroupRequest,
  lastPageOf,
  rowsPerPage,
} from "../model/error-groups.ts";
import { findEvent } from "../model/events.ts";
import type { FiledFeedback, FiledMessage } from "../model/feedback.ts";
import { eventId } from "../model/fields.ts";
import type { FiledPerformance, RoutePerformance, Visit } from "../model/filed-performance.ts";
import type { FiledError, FiledReports, ReportCounts } from "../model/filed-reports.ts";
import type { ReleaseHealth } from "../model/sessions.ts";
import type { Removed } from "../removal.ts";
import { type EventDetail, eventDetail } from "./event-detail.ts";
import type { ViewName } from "./hrefs.ts";
import { type TracePicture, tracePicture } from "./trace-picture.ts";

// What the pages of the inbox are rendered from, as JSON. Each list has an end.

/** What the pages are read from. */
export interface Sources {
  reports: FiledReports;
  groups: ErrorGroups;
  performance: FiledPerformance;
  feedback: FiledFeedback;
}

/** What `/reports` shows. */
export interface ListView {
  name: ViewName;
  /** Of the errors without the ignored ones. */
  totals: Record<ViewName, number>;
  ignored: number;
  /** From 1. */
  page: number;
  lastPage: number;
  filter: ErrorFilter;
  /** The user whose errors are searched for. */
  user?: string | undefined;
  /** What was just removed. */
  removed?: Removed | undefined;
  /** The search is a reference, and no error with it is kept. */
  unknownReference: boolean;
  /** What occurs in errors. Of the view of errors. */
  values?: FilterValues | undefined;
  kept: ReportCounts;
  /** Rows of the view shown; the other two are empty. */
  errors: ErrorEntry[];
  routes: RoutePerformance[];
  /** Beside the errors of a user, the newest messages of that user and about these errors. */
  feedback: FiledMessage[];
  /** Of the one route shown; none where all are. */
  slowest?: Visit[] | undefined;
  /** None where one route is shown. */
  releases?: ReleaseHealth[] | undefined;
}

export interface ErrorEntry extends Omit<ErrorGroup, "routes" | "releases" | "eventId"> {
  /** The event to show of it, where it isn't just the newest. */
  event: string | undefined;
  route: string | undefined;
  /** Number of further routes. */
  moreRoutes: number;
  release: string | undefined;
  /** Number of messages about it. */
  messages: number;
}

/** What `/reports/[group]` shows of an error. */
export interface ErrorView {
  kind: "error";
  group: Omit<ErrorGroup, "routes" | "releases" | "eventId">;
  /** The error shown, one of the group's. */
  event: FiledError;
  message: string;
  /** The newest ones of the group. */
  routes: string | undefined;
  releases: string | undefined;
  /** The server that took the report; nothing where all are of one machine. */
  server: string | undefined;
  /** Whether the visit in which it happened was measured. */
  isMeasured: boolean;
  /** The event's report has been dropped, and only its summary is left. */
  gone: boolean;
  /** Frames are as they were resolved when it was filed: later, the maps of their build may be gone. */
  detail: EventDetail;
  /** The newest errors of the group. */
  occurrences: FiledError[];
  /** The user whose occurrences alone are listed. */
  user?: string | undefined;
  /** The newest of what was written about the group. */
  feedback: FiledMessage[];
  leftMessages: number;
}

/** What `/reports/[group]` shows of a trace. */
export interface VisitView {
  kind: "visit";
  traceId: string;
  /** Of the part that began first. */
  route: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Milliseconds. */
  duration: number;
  origins: Origin[];
  /** Nothing if the reports have been dropped, and only a summary is left. */
  picture: TracePicture | undefined;
  /** Number of page loads, navigations and requests whose reports are not read. */
  leftParts: number;
  /** Newest first. */
  errors: FiledError[];
}

const max = {
  releases: 10,
  /** Routes and releases listed among the facts of an error. */
  facts: 5,
  occurrences: 20,
  messages: 40,
  /** Of a visit. It has two, the browser's and the server's, or a few more. */
  parts: 20,
  errorsOfVisit: 20,
};

interface ListQuery extends GroupRequest {
  name: ViewName;
  /** From 1; a number outside gives the nearest page. */
  page: number;
  filter: ErrorFilter;
  route?: string | undefined;
  removed?: Removed | undefined;
}

/** @throws {import("@signpost/relay/store").OutboxError} */
export async function listData(sources: Sources, query: ListQuery): Promise<ListView> {
  const { reports, groups, performance, feedback } = sources;
  const { name, filter, route, removed } = query;
  const user = searchedUser(filter);
  const [kept, values, counts, found, routes, messages] = await Promise.all([
    reports.counts(),
    name === "errors" ? groups.values() : undefined,
    groups.counts(),
    name === "errors" ? groups.page(query) : { groups: [], total: 0 },
    performance.count(),
    feedback.count(),
  ]);
  const totals = { errors: counts.others, performance: routes, feedback: messages };
  const lastPage = lastPageOf(name === "errors" ? found.total : totals[name]);
  const page = Math.min(query.page, lastPage);
  const range = { limit: rowsPerPage, offset: (page - 1) * rowsPerPage };
  const isPerformance = name === "performance";
  const one = isPerformance && route !== undefined ? await performance.route(route) : undefined;
  const about = await feedback.counts(found.groups.map(({ id }) => id));
  const isOfUser = name === "errors" && user !== undefined;
  const ofUser = isOfUser ? await feedback.ofUser(user, max.messages) : [];
  return {
    name,
    totals,
    ignored: counts.ignored,
    page,
    lastPage,
    filter,
    user,
    removed,
    // An error that is kept is shown instead of the list.
    unknownReference: eventId(filter.search) !== undefined,
    values,
    kept,
    errors: found.groups.map(({ routes, releases, eventId, ...group }) => ({
      ...group,
      event: user === undefined ? undefined : eventId,
      route: routes[0],
      moreRoutes: Math.max(routes.length - 1, 0),
      release: releases[0],
      messages: about.get(group.id) ?? 0,
    })),
    feedback: name === "feedback" ? await feedback.newest(range) : ofUser,
    routes: one ? [one] : isPerformance ? await performance.page(range) : [],
    slowest: one && (await performance.slowest(one.route)),
    releases: isPerformance && !one ? await performance.releases(max.releases) : undefined,
  };
}

/**
 * @param asked.id of the group
 * @param asked.eventId of the event to show; the latest one listed where it isn't given, or is none of the group
 * @param asked.user whose occurrences are listed; all where none is given
 * @returns the event as it was reported, too, in JSON; nothing where there is no such group
 * @throws {import("@signpost/relay/store").OutboxError}
 */
export async function errorData(
  { reports, groups, performance, feedback }: Sources,
  {
    id,
    eventId,
    user,
    ...asked
  }: GroupRequest & { id: string; eventId: string | undefined; user?: string | undefined },
): Promise<{ view: ErrorView; payload: Uint8Array | undefined } | undefined> {
  const group = await groups.group(id, asked);
  const occurrences = group ? await reports.ofGroup(id, max.occurrences, user) : [];
  const wanted = eventId === undefined ? undefined : await reports.event(eventId);
  const event = wanted?.group === id ? wanted : occurrences[0];
  if (!group || !event) return undefined;
  const report = await reports.report(event.reportId);
  const found = report && findEvent(report, event.eventId);
  const { traceId, stackId, type, message } = event;
  const frames = stackId === null ? undefined : await reports.frames(stackId);
  const detail = eventDetail(found?.event ?? {});
  const exceptions = found || !frames ? detail.exceptions : [{ type, message, frames: [] }];
  const { messages, total } = await feedback.ofGroup(id, max.messages);
  const { routes, releases, eventId: _, ...ofGroup } = group;
  const view: ErrorView = {
    kind: "error",
    group: ofGroup,
    event,
    message: exceptions[0]?.message ?? group.message,
    routes: listed(routes),
    releases: listed(releases),
    server: report?.server ?? undefined,
    isMeasured: traceId !== null && (await performance.visitsOfTrace(traceId, 1)) !== undefined,
    gone: !found,
    detail: {
      ...detail,
      exceptions: exceptions.map((one, i) => ({ ...one, frames: frames?.[i] ?? one.frames })),
    },
    occurrences,
    user,
    // On the page of the error that they are about.
    feedback: messages.map((one) => ({ ...one, about: null })),
    leftMessages: total - messages.length,
  };
  return { view, payload: found?.payload };
}

function listed(values: readonly string[]): string | undefined {
  if (values.length === 0) return undefined;
  return values.slice(0, max.facts).join("  ") + (values.length > max.facts ? " …" : "");
}

/**
 * @returns nothing where no visit is kept of the trace
 * @throws {import("@signpost/relay/store").OutboxError}
 */
export async function visitData(sources: Sources, traceId: string): Promise<VisitView | undefined> {
  const found = await sources.performance.visitsOfTrace(traceId, max.parts);
  if (!found) return undefined;
  const { visits, left } = found;
  const first = visits.reduce((one, other) => (other.at < one.at ? other : one));
  const picture = await tracePicture(traceId, storedReports(sources, visits));
  return {
    kind: "visit",
    traceId,
    route: first.route,
    at: first.at,
    duration: picture?.duration ?? Math.max(...visits.map(({ duration }) => duration)),
    origins: [...new Set(visits.map(({ origin }) => origin))].sort(),
    picture,
    leftParts: left,
    errors: await sources.reports.ofTrace(traceId, max.errorsOfVisit),
  };
}

/** Those that have not been dropped, each once. */
async function* storedReports(
  { reports }: Sources,
  of: readonly { reportId: number }[],
): AsyncIterable<StoredReport> {
  for (const id of new Set(of.map(({ reportId }) => reportId))) {
    const report = await reports.report(id);
    if (report) yield report;
  }
}
