import { runtimeConfig } from "@/lib/config/runtime";
import { bodyMemory } from "@/lib/http/body-memory";
import { clientReader, shareKey } from "@/lib/http/client-address";
import { writeErrorResponse } from "@/lib/http/error-response";
import { respond } from "@/lib/http/respond";
import type { StoredReport } from "@/lib/outbox/outbox";
import { outbox } from "@/lib/outbox/outbox-singleton";
import { localized } from "@/lib/routes/location";
import { checkAccess, type InboxRequest } from "./access";
import { applyDecision, readDecision } from "./decisions";
import { inbox } from "./inbox-singleton";
import { eventId } from "./model/fields";
import { type ErrorReportView, errorReportView } from "./views/error-report-view";
import { formatter } from "./views/formatter";
import { errorHref, onlyValue, queryOf, readFilter, viewNames } from "./views/hrefs";
import { type ListView, listView } from "./views/list-view";
import { errorData, listData } from "./views/page-data";
import { tracePicture } from "./views/trace-picture";
import { maxErrors, maxParts, type VisitView, visitView } from "./views/visit-view";

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

/** How long a page waits for errors that came in just before. Those that take longer come later. */
const maxFilingMs = 1_000;

/**
 * Answers `/reports`. Its query may have `view`, `page` and what `readFilter` reads. If the search is
 * a reference that is found, the answer is a redirect to the page of its error. A POST is a decision
 * about errors of the list.
 *
 * @throws {import("@/lib/outbox/outbox").OutboxError}
 */
export async function answerList(request: InboxRequest): Promise<PageAnswer<ListView>> {
  const answered = await answerFirst(request);
  if (answered) return answered;
  const sources = inbox();
  const parameters = queryOf(request.url);
  const filter = readFilter(parameters);

  const id = eventId(filter.search);
  const found = id && (await sources.errors.event(id));
  if (found) return { redirectTo: errorHref(found.group, id) };

  const now = Date.now();
  const query = {
    name: viewNames.find((one) => one === onlyValue(parameters, "view")) ?? "errors",
    page: pageNumber(onlyValue(parameters, "page")),
    filter,
    route: onlyValue(parameters, "route"),
    runningRelease: runtimeConfig().release,
    now,
  };
  const view = listView(await listData(sources, query), formatter(now));
  return { props: propsOf(view, now) };
}

/**
 * Decides what comes before a page: who may see it, and a decision that was posted to it.
 *
 * @returns nothing where the page is to be shown: what came in until now is filed
 */
async function answerFirst(request: InboxRequest) {
  const access = await checkAccess(request);
  if (access !== "granted") return access;
  if (request.request.method === "POST") return answerDecision(request);
  await inbox().filer.file(maxFilingMs);
  return undefined;
}

/** @returns 1 for what is no number of a page */
function pageNumber(given = ""): number {
  return /^\d{1,6}$/.test(given) ? Math.max(Number(given), 1) : 1;
}

/**
 * Answers `/reports/[group]`. `event` in the query chooses the event to show, by default the latest;
 * with `format=json` the answer is that event as a file. A POST is a decision about the error.
 *
 * An event's id in place of the group's redirects to the group. A trace's id shows the visit.
 *
 * @throws {import("@/lib/outbox/outbox").OutboxError}
 */
export async function answerReport(
  request: InboxRequest,
  id: unknown,
): Promise<PageAnswer<ErrorReportView | VisitView>> {
  const answered = await answerFirst(request);
  if (answered) return answered;
  const sources = inbox();

  const long = eventId(id);
  const named = long && (await sources.errors.event(long));
  if (named) return { redirectTo: errorHref(named.group, long) };
  if (long) return answerVisit(long);
  if (typeof id !== "string" || !/^[0-9a-f]{16}$/.test(id)) return "not-found";

  const now = Date.now();
  const query = queryOf(request.url);
  const wanted = eventId(onlyValue(query, "event"));
  const { release: runningRelease } = runtimeConfig();
  const data = await errorData(sources, { id, eventId: wanted, runningRelease, now });
  if (!data) return "not-found";
  const { asked, payload } = data;
  if (onlyValue(query, "format") === "json") {
    return payload
      ? answerFile(request, `error-${asked.event.eventId}.json`, payload)
      : "not-found";
  }
  const view = errorReportView(asked, formatter(now));
  return { props: propsOf(view, now) };
}

async function answerVisit(traceId: string): Promise<PageAnswer<VisitView>> {
  const parts = await inbox().performance.visitsOfTrace(traceId, maxParts);
  if (!parts) return "not-found";
  const picture = await tracePicture(traceId, storedReports(parts.visits));
  const now = Date.now();
  const errors = await inbox().errors.ofTrace(traceId, maxErrors);
  const view = visitView(errors, parts, picture, formatter(now));
  return { props: propsOf(view, now) };
}

/** Those that have not been dropped, each once. */
async function* storedReports(of: readonly { reportId: number }[]): AsyncIterable<StoredReport> {
  for (const id of new Set(of.map(({ reportId }) => reportId))) {
    const report = await inbox().reports.report(id);
    if (report) yield report;
  }
}

/** Keeps a decision about errors, and leads back to the page on which it was made. */
async function answerDecision({
  request,
  response,
  url,
}: InboxRequest): Promise<{ redirectTo: string; status: 303 } | "answered"> {
  const client = clientReader(runtimeConfig().trustedProxies)(request);
  const reservation = bodyMemory().reserve(shareKey(client.address));
  try {
    const decision = await readDecision(request, client, reservation);
    if (decision === "gone") {
      response.destroy();
      return "answered";
    }
    const error =
      "error" in decision
        ? decision
        : await applyDecision(decision, inbox().groups, outbox().rows, Date.now());
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
