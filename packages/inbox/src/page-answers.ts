import type { DestinationContext } from "@signpost/relay";
import {
  type ErrorResponse,
  errorResponses,
  isCrossSite,
  readForm,
  respond,
  shareKey,
  writeErrorResponse,
} from "@signpost/relay/http";
import type { Access, Asked } from "./access.ts";
import {
  applyDecision,
  applyRemoval,
  type Decision,
  type Removal,
  readDecision,
} from "./decisions.ts";
import { eventId } from "./model/fields.ts";
import { isGroupId } from "./model/group-id.ts";
import {
  errorHref,
  onlyValue,
  queryOf,
  readFilter,
  readRemoved,
  removedHref,
  viewNames,
} from "./views/hrefs.ts";
import {
  type ErrorView,
  errorData,
  type ListView,
  listData,
  type Sources,
  type VisitView,
  visitData,
} from "./views/page-data.ts";

/** What the pages are answered with. */
export interface Inbox
  extends Pick<
    DestinationContext,
    "clientOf" | "deliverNow" | "driver" | "log" | "memory" | "release"
  > {
  access: Pick<Access, "check">;
  sources: Sources;
}

/** What a page shows, and when that was read, in milliseconds since the epoch. */
export interface Shown<View> {
  view: View;
  now: number;
}

/**
 * - A redirect is without base path.
 * - `answered`: the response is complete.
 */
type PageAnswer<View> =
  | Shown<View>
  | { redirectTo: string; status?: 303 }
  | "denied"
  | "not-found"
  | "answered";

/** How long a page waits for errors that came in just before. Those that take longer come later. */
const maxFilingMs = 1_000;

/**
 * Answers `/reports`. Its query may have `view`, `page` and what `readFilter` reads. A search for a
 * reference redirects to the page of its error. A POST is a decision about errors of the list, or removes
 * what is about a user.
 *
 * @throws {import("@signpost/relay/store").OutboxError}
 */
export async function answerList(asked: Asked, inbox: Inbox): Promise<PageAnswer<ListView>> {
  const answered = await answerFirst(asked, inbox);
  if (answered) return answered;
  const { sources, release } = inbox;
  const parameters = queryOf(asked.url);
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
    runningRelease: release ?? "",
    now,
  };
  return { view: await listData(sources, query), now };
}

/**
 * Who may see it, and a decision that was posted to it.
 *
 * @returns nothing where the page is to be shown: what came in until now is filed
 */
async function answerFirst(asked: Asked, inbox: Inbox) {
  const access = await inbox.access.check(asked);
  if (access !== "granted") return access;
  if (asked.request.method === "POST") return answerDecision(asked, inbox);
  await inbox.deliverNow(maxFilingMs);
  return undefined;
}

function pageNumber(given = ""): number {
  return /^\d{1,6}$/.test(given) ? Math.max(Number(given), 1) : 1;
}

/**
 * Answers `/reports/{id}`. `event` in the query chooses the event to show, `user` whose occurrences are listed;
 * with `format=json` the answer is that event as a file. A POST is a decision about the error, or removes it. An
 * event's id in place of the group's redirects to the group. A trace's id shows the visit.
 *
 * @throws {import("@signpost/relay/store").OutboxError}
 */
export async function answerReport(
  asked: Asked,
  id: string,
  inbox: Inbox,
): Promise<PageAnswer<ErrorView | VisitView>> {
  const answered = await answerFirst(asked, inbox);
  if (answered) return answered;
  const { sources, release } = inbox;

  const long = eventId(id);
  const named = long && (await sources.reports.event(long));
  if (named) return { redirectTo: errorHref(named.group, long) };
  if (long) {
    const visit = await visitData(sources, long);
    return visit ? { view: visit, now: Date.now() } : "not-found";
  }
  if (!isGroupId(id)) return "not-found";

  const now = Date.now();
  const query = queryOf(asked.url);
  const wanted = eventId(onlyValue(query, "event"));
  const user = onlyValue(query, "user");
  const runningRelease = release ?? "";
  const data = await errorData(sources, { id, eventId: wanted, user, runningRelease, now });
  if (!data) return "not-found";
  const { view, payload } = data;
  if (onlyValue(query, "format") === "json") {
    return payload ? answerFile(asked, `error-${view.event.eventId}.json`, payload) : "not-found";
  }
  return { view, now };
}

/**
 * Keeps a decision about errors, and leads back to the page on which it was made. Or removes what is about
 * one of them or a user, and leads to the list, which says how much that was.
 */
async function answerDecision({ request, response, url }: Asked, inbox: Inbox) {
  const client = inbox.clientOf(request);
  const reservation = inbox.memory.reserve(shareKey(client.address));
  try {
    const form = isCrossSite(request.headers, client)
      ? otherSite
      : await readForm(request, reservation);
    if (form === "gone") {
      response.destroy();
      return "answered" as const;
    }
    const applied = await apply("error" in form ? form : readDecision(form), inbox);
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

const otherSite = errorResponses.otherSite(
  "Only pages of this site may decide about errors, or remove them.",
);

async function apply(
  asked: Decision | Removal | ErrorResponse,
  { driver, deliverNow, log }: Inbox,
) {
  if ("error" in asked) return asked;
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
  { request, response }: Asked,
  name: string,
  payload: Uint8Array,
): Promise<"answered"> {
  await respond(request, response, {
    status: 200,
    headers: {
      "Content-Type": "application/json",
      "Content-Disposition": `attachment; filename="${name}"`,
      "Cache-Control": "private, no-store",
    },
    body: payload,
  });
  return "answered";
}
