import type { ErrorFilter } from "./error-filter";
import { type ErrorReportRequest, maxOccurrences } from "./error-report-view";
import { eventDetail, findEvent } from "./event-detail";
import type { FeedbackMessage } from "./feedback-messages";
import type { FiledErrors, GroupRequest } from "./filed-errors";
import type { ViewName } from "./hrefs";
import type { ListRequest } from "./list-view";
import { readOrSkip } from "./read-or-skip";
import type { Contents, ReportIndex } from "./report-index";

/** What the pages of the inbox are read from. */
export interface Sources {
  reports: ReportIndex;
  errors: FiledErrors;
}

interface ListQuery extends GroupRequest {
  name: ViewName;
  page: number;
  filter: ErrorFilter;
  route?: string | undefined;
}

/** Messages whose errors are looked up, the newest ones. */
const maxMessages = 2_000;

/** @throws {import("@/lib/outbox/outbox").OutboxError} */
export async function listData(
  { reports, errors }: Sources,
  { name, page, filter, route, runningRelease, now }: ListQuery,
): Promise<{ contents: Contents; asked: ListRequest }> {
  const contents = await reports.look();
  const groups = { filter, page: Math.max(page, 1), runningRelease, now };
  const [values, shown, counts, about, setAside] = await Promise.all([
    errors.values(),
    name === "errors" ? errors.page(groups) : undefined,
    errors.counts(),
    errors.events(eventsWrittenAbout(contents.feedback)),
    errors.setAside(),
  ]);
  const asked = { name, page, filter, route, values, errors: shown, counts, about, setAside };
  return { contents, asked };
}

interface ErrorQuery extends GroupRequest {
  /** Of the group. */
  id: string;
  /** Of the event to show; the latest of the group where it isn't given, or is none of its. */
  eventId: string | undefined;
}

interface ErrorData {
  contents: Contents;
  asked: ErrorReportRequest;
  /** The event as it was reported, in JSON; nothing if its report has been dropped. */
  payload: Uint8Array | undefined;
}

/**
 * @returns nothing where there is no such group
 * @throws {import("@/lib/outbox/outbox").OutboxError}
 */
export async function errorData(
  { reports, errors }: Sources,
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
  const about = await errors.events(eventsWrittenAbout(contents.feedback));
  const asked = {
    group,
    event,
    occurrences,
    detail: found && eventDetail(event.eventId, found.event),
    frames: event.stackId === undefined ? undefined : await errors.frames(event.stackId),
    messages: contents.feedback.filter(
      (one) => one.about !== undefined && about.get(one.about)?.group === id,
    ),
    isMeasured: contents.visits.some(({ traceId }) => traceId === event.traceId),
    server: report?.server,
    now,
  };
  return { contents, asked, payload: found?.payload };
}

/** The ids of the events that the newest messages are about, each once. */
function eventsWrittenAbout(feedback: readonly FeedbackMessage[]): string[] {
  return [...new Set(feedback.slice(0, maxMessages).flatMap(({ about }) => about ?? []))];
}
