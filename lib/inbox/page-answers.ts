import { inboxCatalogue } from "@/lib/messages/inbox/catalogue";
import { defaultLocale, isLocale } from "@/lib/messages/locales.js";
import { resolveEvent } from "@/lib/stacks/resolve-event";
import { checkAccess, type InboxRequest } from "./access";
import { findGroup, findGroupById } from "./error-groups";
import { type ErrorReportView, errorReportView } from "./error-report-view";
import { eventDetail, findEvent } from "./event-detail";
import { eventId } from "./fields";
import { type Formatter, formatter } from "./formatter";
import { errorHref, onlyValue, queryOf, viewNames } from "./hrefs";
import { type ListView, listView } from "./list-view";
import { inbox } from "./process-inbox";

/** What a page of the inbox is rendered from. */
export interface InboxProps<View> {
  view: View;
  /** ISO 8601 */
  renderedAt: string;
}

/** A redirect is without base path and locale. */
type PageAnswer<View> = { props: InboxProps<View> } | { redirectTo: string } | "not-found";

/** Frames that take longer are shown as they were reported, until the page refreshes. */
const resolveTimeoutMs = 500;

export interface PageRequest extends InboxRequest {
  locale: string | undefined;
}

/**
 * Answers `/reports`. Its query may have `view`, `page`, and `event`: a reference to look up. If
 * that is found, the answer is a redirect to the page of its error.
 *
 * @throws {import("@/lib/outbox/outbox").OutboxError}
 */
export async function answerList(request: PageRequest): Promise<PageAnswer<ListView>> {
  const access = await checkAccess(request);
  if (access !== "granted") return access;
  const contents = await inbox().look();
  const query = queryOf(request.url);

  const typed = onlyValue(query, "event")?.trim();
  const id = eventId(typed);
  const group = id && findGroup(contents.errors, id);
  if (group) return { redirectTo: errorHref(group.id, id) };

  const name = viewNames.find((one) => one === onlyValue(query, "view")) ?? "errors";
  const page = /^\d{1,6}$/.test(onlyValue(query, "page") ?? "") ? Number(query.get("page")) : 1;
  const now = Date.now();
  const view = listView(contents, name, page, formatterOf(request, now));
  const sought = typed ? { text: typed.slice(0, 100), isReference: id !== undefined } : undefined;
  return { props: propsOf({ ...view, sought }, now) };
}

/**
 * Answers `/reports/[group]`. `event` in the query chooses the event to show, by default the latest.
 * An event's id in place of the group's redirects to the group. The id that a group had before its
 * stacks were resolved shows it too.
 *
 * @throws {import("@/lib/outbox/outbox").OutboxError}
 */
export async function answerErrorReport(
  request: PageRequest,
  groupId: unknown,
): Promise<PageAnswer<ErrorReportView>> {
  const access = await checkAccess(request);
  if (access !== "granted") return access;
  const contents = await inbox().look();

  const id = eventId(groupId);
  const groupOfEvent = id && findGroup(contents.errors, id);
  if (groupOfEvent) return { redirectTo: errorHref(groupOfEvent.id, id) };
  const group = findGroupById(contents.errors, groupId);
  if (!group) return "not-found";

  const wanted = eventId(onlyValue(queryOf(request.url), "event"));
  const { eventId: shown, reportId } =
    group.events.find((one) => one.eventId === wanted) ?? group.events[0];
  const report = await inbox().report(reportId);
  const event = report && findEvent(report, shown);
  const detail =
    event && eventDetail(shown, await resolveEvent(event, { timeoutMs: resolveTimeoutMs }));
  const now = Date.now();
  const format = formatterOf(request, now);
  return { props: propsOf(errorReportView(contents, group, shown, detail, format), now) };
}

function formatterOf(request: PageRequest, now: number): Formatter {
  const locale = isLocale(request.locale) ? request.locale : defaultLocale;
  return formatter(locale, inboxCatalogue[locale].units, now);
}

/** Leaves out undefined fields, which Next refuses in props: JSON has no undefined. */
function propsOf<View>(view: View, now: number): InboxProps<View> {
  return { view: JSON.parse(JSON.stringify(view)), renderedAt: new Date(now).toISOString() };
}
