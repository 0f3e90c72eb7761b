import {
  bodyMemory,
  clientReader,
  deliverNow,
  type ErrorResponse,
  log,
  outbox,
  respond,
  runtimeConfig,
  shareKey,
  writeErrorResponse,
} from "@signpost/sentry/server";
import { localized } from "@/lib/navigation/location";
import { checkAccess, type InboxRequest } from "./access";
import {
  applyDecision,
  applyRemoval,
  type Decision,
  type Removal,
  readDecision,
} from "./decisions";
import { inbox } from "./inbox";
import { eventId } from "./model/fields";
import { isGroupId } from "./model/group-id";
import {
  errorHref,
  onlyValue,
  queryOf,
  readFilter,
  readRemoved,
  removedHref,
  viewNames,
} from "./views/hrefs";
import {
  type ErrorView,
  errorData,
  type ListView,
  listData,
  type VisitView,
  visitData,
} from "./views/page-data";

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
 * Answers `/reports`. Its query may have `view`, `page` and what `readFilter` reads. A search for a
 * reference redirects to the page of its error. A POST is a decision about errors of the list, or removes
 * what is about a user.
 *
 * @throws {import("@signpost/sentry/server").OutboxError}
 */
export async function answerList(request: InboxRequest): Promise<PageAnswer<ListView>> {
  const answered = await answerFirst(request);
  if (answered) return answered;
  const sources = inbox();
  const parameters = queryOf(request.url);
  const filter = readFilter(parameters);

  const id = eventId(filter.search);
  const found = id && (await sources.reports.event(id));
  if (found) return { redirectTo: errorHref(found.group, id) };

  const now = Date.now();
  const query = {
    name: viewNames.find((one) => one === onlyValue(parameters, "view")) ?? "errors",
    page: pageNumber(onlyValue(parameters, "page")),
    filter,
    route: onlyValue(parameters, "route"),
    removed: readRemoved(parameters),
    runningRelease: runtimeConfig().release,
    now,
  };
  return { props: propsOf(await listData(sources, query), now) };
}

/**
 * Who may see it, and a decision that was posted to it.
 *
 * @returns nothing where the page is to be shown: what came in until now is filed
 */
async function answerFirst(request: InboxRequest) {
  const access = await checkAccess(request);
  if (access !== "granted") return access;
  if (request.request.method === "POST") return answerDecision(request);
  await deliverNow(maxFilingMs);
  return undefined;
}

function pageNumber(given = ""): number {
  return /^\d{1,6}$/.test(given) ? Math.max(Number(given), 1) : 1;
}

/**
 * Answers `/reports/[group]`. `event` in the query chooses the event to show, `user` whose
 * occurrences are listed; with `format=json` the
 * answer is that event as a file. A POST is a decision about the error, or removes it. An event's id in place of the
 * group's redirects to the group. A trace's id shows the visit.
 *
 * @throws {import("@signpost/sentry/server").OutboxError}
 */
export async function answerReport(
  request: InboxRequest,
  id: unknown,
): Promise<PageAnswer<ErrorView | VisitView>> {
  const answered = await answerFirst(request);
  if (answered) return answered;
  const sources = inbox();

  const long = eventId(id);
  const named = long && (await sources.reports.event(long));
  if (named) return { redirectTo: errorHref(named.group, long) };
  if (long) {
    const visit = await visitData(sources, long);
    return visit ? { props: propsOf(visit, Date.now()) } : "not-found";
  }
  if (typeof id !== "string" || !isGroupId(id)) return "not-found";

  const now = Date.now();
  const query = queryOf(request.url);
  const wanted = eventId(onlyValue(query, "event"));
  const { release: runningRelease } = runtimeConfig();
  const user = onlyValue(query, "user");
  const data = await errorData(sources, { id, eventId: wanted, user, runningRelease, now });
  if (!data) return "not-found";
  const { view, payload } = data;
  if (onlyValue(query, "format") === "json") {
    return payload ? answerFile(request, `error-${view.event.eventId}.json`, payload) : "not-found";
  }
  return { props: propsOf(view, now) };
}

/**
 * Keeps a decision about errors, and leads back to the page on which it was made. Or removes what is about
 * one of them or a user, and leads to the list, which says how much that was.
 */
async function answerDecision({ request, response, url }: InboxRequest) {
  const client = clientReader(runtimeConfig().trustedProxies)(request);
  const reservation = bodyMemory().reserve(shareKey(client.address));
  try {
    const decision = await readDecision(request, client, reservation);
    if (decision === "gone") {
      response.destroy();
      return "answered" as const;
    }
    const applied = await apply(decision);
    if (!applied) return { redirectTo: url, status: 303 as const };
    if (!("error" in applied)) return { redirectTo: removedHref(applied), status: 303 as const };
    // Before the response, which may wait for what the client is still sending.
    reservation.release();
    await writeErrorResponse(request, response, applied);
    return "answered" as const;
  } finally {
    reservation.release();
  }
}

async function apply(asked: Decision | Removal | ErrorResponse) {
  if ("error" in asked) return asked;
  const { driver } = outbox();
  if (!("remove" in asked)) return applyDecision(asked, driver, Date.now());
  // What waits to be filed is about it, too.
  await deliverNow(maxFilingMs);
  const removed = await applyRemoval(asked, driver);
  // Without the id, which is somebody's.
  if (!("error" in removed))
    log("info", "removed from the inbox", { kind: asked.remove.kind, ...removed });
  return removed;
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
