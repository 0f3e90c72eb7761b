import { runtimeConfig } from "@/lib/config/runtime";
import { clientReader, rateKey } from "@/lib/http/client-address";
import { writeErrorResponse } from "@/lib/http/error-response";
import { bodyMemory } from "@/lib/http/process-body-memory";
import { respond } from "@/lib/http/respond";
import type { StoredReport } from "@/lib/outbox/outbox";
import { outbox } from "@/lib/outbox/process-outbox";
import { localized } from "@/lib/routes/location";
import { resolveEvent } from "@/lib/stacks/resolve-event";
import { checkAccess, type InboxRequest } from "./access";
import { applyDecision, readDecision } from "./decisions";
import { filterValues, readFilter } from "./error-filter";
import { findGroup, findGroupById } from "./error-groups";
import { type ErrorReportView, errorReportView } from "./error-report-view";
import { eventDetail, findEvent } from "./event-detail";
import type { FeedbackMessage } from "./feedback-messages";
import type { FeedbackRow } from "./feedback-rows";
import { eventId } from "./fields";
import { formatter } from "./formatter";
import { byGroup } from "./group-status";
import { errorHref, onlyValue, queryOf, viewNames } from "./hrefs";
import { type ListView, listView } from "./list-view";
import { inbox } from "./process-inbox";
import { readOrSkip } from "./read-or-skip";
import type { Contents } from "./report-index";
import { tracePicture } from "./trace-picture";
import { type VisitView, visitsOfTrace, visitView } from "./visit-view";

/** What a page of the inbox is rendered from. */
export interface InboxProps<View> {
  view: View;
  /** ISO 8601 */
  renderedAt: string;
}

/**
 * - A redirect is without base path and locale.
 * - `answered`: the response is complete.
 */
type PageAnswer<View> =
  | { props: InboxProps<View> }
  | { redirectTo: string; status?: 303 }
  | "not-found"
  | "answered";

/** Frames that take longer are shown as they were reported, until the page refreshes. */
const resolveTimeoutMs = 500;

/**
 * Answers `/reports`. Its query may have `view`, `page` and what `readFilter` reads. If the search is
 * a reference that is found, the answer is a redirect to the page of its error. A POST is a decision
 * about errors of the list.
 *
 * @throws {import("@/lib/outbox/outbox").OutboxError}
 */
export async function answerList(request: InboxRequest): Promise<PageAnswer<ListView>> {
  const access = await checkAccess(request);
  if (access !== "granted") return access;
  const contents = await inbox().look();
  if (request.request.method === "POST") return answerDecision(request, contents);
  const query = queryOf(request.url);
  const filter = readFilter(query);

  const id = eventId(filter.search);
  const group = id && findGroup(contents.errors, id);
  if (group) return { redirectTo: errorHref(group.id, id) };

  const now = Date.now();
  const asked = {
    name: viewNames.find((one) => one === onlyValue(query, "view")) ?? "errors",
    page: /^\d{1,6}$/.test(onlyValue(query, "page") ?? "") ? Number(query.get("page")) : 1,
    filter,
    route: onlyValue(query, "route"),
    values: filterValues(contents.errors),
    states: byGroup(await outbox().groupStates()),
    runningRelease: runtimeConfig().release,
    now,
  };
  const view = listView(contents, asked, formatter(now));
  await completeMessages(view.feedback, contents.feedback);
  return { props: propsOf(view, now) };
}

/**
 * Answers `/reports/[group]`. `event` in the query chooses the event to show, by default the latest;
 * with `format=json` the answer is that event as a file. A POST is a decision about the error.
 *
 * An event's id in place of the group's redirects to the group. The id that a group had before its
 * stacks were resolved shows it too. A trace's id shows the visit.
 *
 * @throws {import("@/lib/outbox/outbox").OutboxError}
 */
export async function answerReport(
  request: InboxRequest,
  id: unknown,
): Promise<PageAnswer<ErrorReportView | VisitView>> {
  const access = await checkAccess(request);
  if (access !== "granted") return access;
  const contents = await inbox().look();
  if (request.request.method === "POST") return answerDecision(request, contents);

  const long = eventId(id);
  const groupOfEvent = long && findGroup(contents.errors, long);
  if (groupOfEvent) return { redirectTo: errorHref(groupOfEvent.id, long) };
  if (long) return answerVisit(contents, long);
  const group = findGroupById(contents.errors, id);
  if (!group) return "not-found";

  const query = queryOf(request.url);
  const wanted = eventId(onlyValue(query, "event"));
  const { eventId: shown, reportId } =
    group.events.find((one) => one.eventId === wanted) ?? group.events[0];
  const report = await inbox().report(reportId);
  const found = report && readOrSkip(report, () => findEvent(report, shown));
  if (onlyValue(query, "format") === "json") {
    return found ? answerFile(request, `error-${shown}.json`, found.payload) : "not-found";
  }
  const now = Date.now();
  const asked = {
    group,
    eventId: shown,
    detail:
      found && eventDetail(shown, await resolveEvent(found.event, { timeoutMs: resolveTimeoutMs })),
    server: report?.server,
    states: byGroup(await outbox().groupStates()),
    runningRelease: runtimeConfig().release,
    now,
  };
  const view = errorReportView(contents, asked, formatter(now));
  await completeMessages(view.feedback, contents.feedback);
  return { props: propsOf(view, now) };
}

async function answerVisit(contents: Contents, traceId: string): Promise<PageAnswer<VisitView>> {
  const parts = visitsOfTrace(contents.visits, traceId);
  if (!parts) return "not-found";
  const picture = await tracePicture(traceId, storedReports(parts.visits));
  const now = Date.now();
  const view = visitView(contents, parts, picture, formatter(now));
  return { props: propsOf(view, now) };
}

/** Those that have not been dropped, each once. */
async function* storedReports(of: readonly { reportId: number }[]): AsyncIterable<StoredReport> {
  for (const id of new Set(of.map(({ reportId }) => reportId))) {
    const report = await inbox().report(id);
    if (report) yield report;
  }
}

/** Reads what the rows show of messages too long to be kept in memory. */
async function completeMessages(rows: FeedbackRow[], all: FeedbackMessage[]): Promise<void> {
  const shown = new Map(rows.map((row) => [row.key, row]));
  for (const message of shown.size > 0 ? all : []) {
    const row = shown.get(message.key);
    if (row) row.message = await inbox().wholeMessage(message);
  }
}

/** Keeps a decision about errors, and leads back to the page on which it was made. */
async function answerDecision(
  { request, response, url }: InboxRequest,
  contents: Contents,
): Promise<{ redirectTo: string; status: 303 } | "answered"> {
  const client = clientReader(runtimeConfig().trustedProxies)(request);
  const reservation = bodyMemory().reserve(rateKey(client.address));
  try {
    const decision = await readDecision(request, client, reservation);
    if (decision === "gone") {
      response.destroy();
      return "answered";
    }
    const error =
      "error" in decision
        ? decision
        : await applyDecision(decision, contents.errors, outbox(), Date.now());
    if (!error) return { redirectTo: url, status: 303 };
    // Before the response, which may wait for what the client is still sending.
    reservation.release();
    await writeErrorResponse(request, response, error);
    return "answered";
  } finally {
    reservation.release();
  }
}

/** @param payload JSON that a client has sent: a browser must keep it, and never show it as a page */
async function answerFile(
  { request, response }: InboxRequest,
  name: string,
  payload: Uint8Array,
): Promise<"answered"> {
  await respond(request, response, {
    status: 200,
    headers: {
      "Content-Type": "application/json",
      "Content-Disposition": `attachment; filename="${name}"`,
      "X-Content-Type-Options": "nosniff",
    },
    body: payload,
  });
  return "answered";
}

/** An answer in the form that Next wants of `getServerSideProps`. */
export function pageResult<View>(answer: PageAnswer<View>, locale: string | undefined) {
  if (answer === "not-found") return { notFound: true } as const;
  // Next renders nothing once the response is complete.
  if (answer === "answered") return { props: {} as InboxProps<View> };
  if ("props" in answer) return answer;
  const destination = localized(answer.redirectTo, locale);
  return { redirect: { destination, statusCode: answer.status ?? (307 as const) } };
}

/** Leaves out undefined fields, which Next refuses in props: JSON has no undefined. */
function propsOf<View>(view: View, now: number): InboxProps<View> {
  return { view: JSON.parse(JSON.stringify(view)), renderedAt: new Date(now).toISOString() };
}
