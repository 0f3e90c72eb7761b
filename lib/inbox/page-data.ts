import type { ErrorFilter } from "./error-filter";
import { type ErrorReportRequest, maxMessages, maxOccurrences } from "./error-report-view";
import { eventDetail, findEvent } from "./event-detail";
import type { FiledErrors, GroupRequest } from "./filed-errors";
import type { FiledFeedback } from "./filed-feedback";
import type { ViewName } from "./hrefs";
import { type ListRequest, rowsPerPage } from "./list-view";
import { readOrSkip } from "./read-or-skip";
import type { Contents, ReportIndex } from "./report-index";

/** What the pages of the inbox are read from. */
export interface Sources {
  reports: ReportIndex;
  errors: FiledErrors;
  feedback: FiledFeedback;
}

interface ListQuery extends GroupRequest {
  name: ViewName;
  page: number;
  filter: ErrorFilter;
  route?: string | undefined;
}

/** @throws {import("@/lib/outbox/outbox").OutboxError} */
export async function listData(
  { reports, errors, feedback }: Sources,
  { name, page, filter, route, runningRelease, now }: ListQuery,
): Promise<{ contents: Contents; asked: ListRequest }> {
  const contents = await reports.look();
  const groups = { filter, page: Math.max(page, 1), runningRelease, now };
  const [values, shown, counts, feedbackCount, setAside] = await Promise.all([
    errors.values(),
    name === "errors" ? errors.page(groups) : undefined,
    errors.counts(),
    feedback.count(),
    errors.setAside(),
  ]);
  const lastPage = Math.max(Math.ceil(feedbackCount / rowsPerPage), 1);
  const offset = (Math.min(groups.page, lastPage) - 1) * rowsPerPage;
  const asked: ListRequest = {
    name,
    page,
    filter,
    route,
    values,
    errors: shown,
    counts,
    messages: await feedback.counts(shown?.groups.map(({ id }) => id) ?? []),
    feedback: name === "feedback" ? await feedback.newest({ limit: rowsPerPage, offset }) : [],
    feedbackCount,
    setAside,
  };
  return { contents, asked };
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
  { reports, errors, feedback }: Sources,
  { id, eventId, runningRelease, now }: ErrorQuery,
): Promise<ErrorData | undefined> {
  const group = await errors.group(id, { runningRelease, now });
  const occurrences = group ? await errors.newest(id, maxOccurrences) : [];
  const wanted = eventId === undefined ? undefined : await errors.event(eventId);
  const event = wanted?.group === id ? wanted : occurrences[0];
  if (!group || !event) return undefined;
  const report = await reports.report(event.reportId);
  const found = report && readOrSkip(report, () => findEvent(report, event.eventId));
  const contents = await reports.look();
  const asked = {
    group,
    event,
    occurrences,
    detail: found && eventDetail(event.eventId, found.event),
    frames: event.stackId === undefined ? undefined : await errors.frames(event.stackId),
    feedback: await feedback.ofGroup(id, maxMessages),
    isMeasured: contents.visits.some(({ traceId }) => traceId === event.traceId),
    server: report?.server,
    now,
  };
  return { asked, payload: found?.payload };
}
