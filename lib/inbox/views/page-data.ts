import type { ErrorFilter } from "../model/error-filter";
import {
  type ErrorGroups,
  type GroupRequest,
  lastPageOf,
  rowsPerPage,
} from "../model/error-groups";
import { eventDetail, findEvent } from "../model/event-detail";
import type { FiledErrors } from "../model/filed-errors";
import type { FiledFeedback } from "../model/filed-feedback";
import type { FiledPerformance } from "../model/filed-performance";
import { type FiledReports, readOrSkip } from "../model/filed-reports";
import { type ErrorReportRequest, maxMessages, maxOccurrences } from "./error-report-view";
import type { ViewName } from "./hrefs";
import type { ListRequest } from "./list-view";

/** What the pages of the inbox are read from. */
export interface Sources {
  reports: FiledReports;
  errors: FiledErrors;
  groups: ErrorGroups;
  performance: FiledPerformance;
  feedback: FiledFeedback;
}

interface ListQuery extends GroupRequest {
  name: ViewName;
  /** From 1. */
  page: number;
  filter: ErrorFilter;
  route?: string | undefined;
}

/** @throws {import("@/lib/outbox/outbox").OutboxError} */
export async function listData(sources: Sources, query: ListQuery): Promise<ListRequest> {
  const { reports, groups } = sources;
  const { name, filter } = query;
  const [kept, values, counts, shown] = await Promise.all([
    reports.counts(),
    name === "errors" ? groups.values() : undefined,
    groups.counts(),
    name === "errors" ? groups.page(query) : { groups: [], total: 0 },
  ]);
  const { feedback, performance } = sources;
  return {
    name,
    page: query.page,
    filter,
    kept,
    values,
    errors: shown,
    counts,
    messages: await feedback.counts(shown.groups.map(({ id }) => id)),
    feedback: await feedbackData(feedback, query),
    performance: await performanceData(performance, query),
  };
}

async function feedbackData(feedback: FiledFeedback, { name, page }: ListQuery) {
  const total = await feedback.count();
  if (name !== "feedback") return { messages: [], total };
  return { messages: await feedback.newest(rangeOf(page, total)), total };
}

async function performanceData(performance: FiledPerformance, { name, page, route }: ListQuery) {
  const total = await performance.count();
  if (name !== "performance") return { routes: [], total };
  const one = route === undefined ? undefined : await performance.route(route);
  if (one) return { routes: [one], total, slowest: await performance.slowest(one.route) };
  return { routes: await performance.page(rangeOf(page, total)), total };
}

/** The rows of a page; of the nearest one if there is none of this number. */
function rangeOf(page: number, total: number) {
  return { limit: rowsPerPage, offset: (Math.min(page, lastPageOf(total)) - 1) * rowsPerPage };
}

interface ErrorQuery extends GroupRequest {
  /** Of the group. */
  id: string;
  /** Of the event to show; the latest of the group where it isn't given, or is none of its. */
  eventId: string | undefined;
}

interface ErrorData {
  asked: ErrorReportRequest;
  /** The event as it was reported, in JSON; nothing if its report has been dropped. */
  payload: Uint8Array | undefined;
}

/**
 * @returns nothing where there is no such group
 * @throws {import("@/lib/outbox/outbox").OutboxError}
 */
export async function errorData(
  { reports, errors, groups, performance, feedback }: Sources,
  { id, eventId, runningRelease, now }: ErrorQuery,
): Promise<ErrorData | undefined> {
  const group = await groups.group(id, { runningRelease, now });
  const occurrences = group ? await errors.ofGroup(id, maxOccurrences) : [];
  const wanted = eventId === undefined ? undefined : await errors.event(eventId);
  const event = wanted?.group === id ? wanted : occurrences[0];
  if (!group || !event) return undefined;
  const report = await reports.report(event.reportId);
  const found = report && readOrSkip(() => findEvent(report, event.eventId));
  const { traceId } = event;
  const visits = traceId === null ? undefined : await performance.visitsOfTrace(traceId, 1);
  const asked = {
    group,
    event,
    occurrences,
    detail: found && eventDetail(event.eventId, found.event),
    frames: event.stackId === null ? undefined : await errors.frames(event.stackId),
    feedback: await feedback.ofGroup(id, maxMessages),
    isMeasured: visits !== undefined,
    server: report?.server,
    now,
  };
  return { asked, payload: found?.payload };
}
