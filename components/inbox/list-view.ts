import type { ErrorGroup } from "@/lib/inbox/error-groups";
import type { Contents } from "@/lib/inbox/report-index";
import { errorHref } from "./error-href";
import { aboutErrors, type FeedbackRow, feedbackRow } from "./feedback-row";
import type { Formatter, Moment } from "./format";
import { href } from "./href";
import { type RouteRow, routeRow, type ScaleRow, scaleRows } from "./route-row";
import type { InboxTexts } from "./texts";

export const viewNames = ["errors", "performance", "feedback"] as const;
export type ViewName = (typeof viewNames)[number];

export interface ErrorRow {
  href: string;
  id: string;
  type: string;
  message: string;
  count: string;
  last: Moment;
  /** None where it was seen once. */
  first: Moment | undefined;
  route: string | undefined;
  /** How many more routes it was seen on, as `+2`. */
  moreRoutes: string | undefined;
  sides: string;
  release: string | undefined;
  /** How many messages were written about it. */
  messages: string | undefined;
}

/** What the page of all reports shows, ready to be written out; nothing in it is undefined. */
export interface ListView {
  name: ViewName;
  tabs: { name: ViewName; href: string; count: string }[];
  errors: ErrorRow[];
  routes: RouteRow[];
  scale: ScaleRow[];
  feedback: FeedbackRow[];
  newer: string | undefined;
  older: string | undefined;
  kept: string;
  unreadable: string | undefined;
  dropped: string | undefined;
}

const rowsPerPage = 50;

/**
 * @param page from 1; what lies outside is the nearest page
 */
export function listView(
  contents: Contents,
  name: ViewName,
  page: number,
  texts: InboxTexts,
  write: Formatter,
): ListView {
  const all = {
    errors: contents.errors,
    performance: contents.routes,
    feedback: contents.feedback,
  };
  const last = Math.max(Math.ceil(all[name].length / rowsPerPage), 1);
  const at = Math.min(Math.max(page, 1), last);
  const part = <T>(rows: T[]) => rows.slice((at - 1) * rowsPerPage, at * rowsPerPage);
  const about = aboutErrors(contents);
  const pageHref = (number: number) =>
    href("/reports", { ...viewQuery(name), page: number > 1 ? String(number) : undefined });
  return {
    name,
    tabs: viewNames.map((tab) => ({
      name: tab,
      href: href("/reports", viewQuery(tab)),
      count: write.count(all[tab].length),
    })),
    errors:
      name === "errors"
        ? part(contents.errors).map((group) => errorRow(group, about.messages, texts, write))
        : [],
    routes:
      name === "performance" ? part(contents.routes).map((one) => routeRow(one, texts, write)) : [],
    scale: scaleRows(write),
    feedback:
      name === "feedback"
        ? part(contents.feedback).map((one) => feedbackRow(one, about.groups, texts, write))
        : [],
    newer: at > 1 ? pageHref(at - 1) : undefined,
    older: at < last ? pageHref(at + 1) : undefined,
    kept: write.count(contents.reports),
    unreadable: contents.unreadable > 0 ? write.count(contents.unreadable) : undefined,
    dropped: contents.dropped > 0 ? write.count(contents.dropped) : undefined,
  };
}

function viewQuery(name: ViewName): { view: string | undefined } {
  return { view: name === "errors" ? undefined : name };
}

function errorRow(
  group: ErrorGroup,
  messages: Map<string, number>,
  texts: InboxTexts,
  write: Formatter,
): ErrorRow {
  const more = group.routes.length - 1;
  const written = messages.get(group.id);
  return {
    href: errorHref(group.id),
    id: group.id,
    type: group.type,
    message: group.message,
    count: write.count(group.events.length),
    last: write.moment(group.lastAt),
    first: group.events.length > 1 ? write.moment(group.firstAt) : undefined,
    route: group.routes[0],
    moreRoutes: more > 0 ? `+${write.count(more)}` : undefined,
    sides: sidesOf(group, texts),
    release: group.releases[0],
    messages: written ? write.count(written) : undefined,
  };
}

/** Where the errors of a group happened, in words. */
export function sidesOf(group: ErrorGroup, texts: InboxTexts): string {
  return group.origins.map((origin) => texts[origin]).join(" + ");
}
