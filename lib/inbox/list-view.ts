import type { Origin } from "@/lib/outbox/outbox";
import type { ErrorGroup } from "./error-groups";
import { type FeedbackLinks, type FeedbackRow, feedbackLinks, feedbackRow } from "./feedback-rows";
import type { FormattedTime, Formatter } from "./formatter";
import { errorHref, listHref, type ViewName, viewNames } from "./hrefs";
import type { Contents } from "./report-index";
import { otherRoutes, type RoutePerformance } from "./route-performance";
import { unknownRoute } from "./samples";
import { type Rating, thresholds, type Vital, vitals } from "./vitals";

/** What `/reports` shows, with numbers and times written in the page's language. */
export interface ListView {
  name: ViewName;
  tabs: { name: ViewName; href: string; count: string }[];
  /** Rows of the view shown; the other two are empty. */
  errors: ErrorRow[];
  routes: RouteRow[];
  feedback: FeedbackRow[];
  /** In the order of `vitals`. */
  scale: ScaleRow[];
  /** Href of the page with newer rows. */
  newer: string | undefined;
  older: string | undefined;
  kept: string;
  unreadable: string | undefined;
  dropped: string | undefined;
  /** The reference that was looked up and not found, as typed. */
  sought?: { text: string; isReference: boolean } | undefined;
}

export interface ErrorRow {
  href: string;
  id: string;
  type: string;
  message: string;
  count: string;
  last: FormattedTime;
  /** Nothing where there is one occurrence only. */
  first: FormattedTime | undefined;
  route: string | undefined;
  /** Number of further routes, as `+2`. */
  moreRoutes: string | undefined;
  origins: Origin[];
  release: string | undefined;
  /** Number of messages about it. */
  messages: string | undefined;
}

export interface RouteRow {
  route: string;
  /** Set for the two rows that stand for no single route. */
  special: "unknownRoute" | "otherRoutes" | undefined;
  /** Number of visits measured. Some vitals may have fewer: not every visit has them all. */
  visits: string | undefined;
  /** In the order of `vitals`; null where nobody measured one. */
  vitals: (VitalCell | null)[];
  requests: RequestFigures | undefined;
}

export interface VitalCell {
  vital: Vital;
  /** The 75th percentile. */
  value: string;
  rating: Rating;
  /** 0 to 1 along the bar. */
  position: number;
  measured: string;
}

export interface RequestFigures {
  count: string;
  p50: string;
  p75: string;
  p95: string;
  failureRate: string;
  hasFailures: boolean;
}

/** The thresholds of a vital. */
export interface ScaleRow {
  vital: Vital;
  good: string;
  poor: string;
}

const rowsPerPage = 50;

/** @param page from 1; a number outside gives the nearest page */
export function listView(
  contents: Contents,
  name: ViewName,
  page: number,
  format: Formatter,
): ListView {
  const { errors, routes, feedback } = contents;
  const total = { errors: errors.length, performance: routes.length, feedback: feedback.length };
  const lastPage = Math.max(Math.ceil(total[name] / rowsPerPage), 1);
  const shownPage = Math.min(Math.max(page, 1), lastPage);
  const rowsOf = <T>(view: ViewName, rows: T[]) =>
    name === view ? rows.slice((shownPage - 1) * rowsPerPage, shownPage * rowsPerPage) : [];
  const { groups, counts } = feedbackLinks(contents);
  return {
    name,
    tabs: viewNames.map((tab) => ({
      name: tab,
      href: listHref(tab),
      count: format.count(total[tab]),
    })),
    errors: rowsOf("errors", errors).map((group) => errorRow(group, counts, format)),
    routes: rowsOf("performance", routes).map((one) => routeRow(one, format)),
    feedback: rowsOf("feedback", feedback).map((one) => feedbackRow(one, groups, format)),
    scale: vitals.map((vital) => ({
      vital,
      good: format.vital(vital, thresholds[vital].good),
      poor: format.vital(vital, thresholds[vital].poor),
    })),
    newer: shownPage > 1 ? listHref(name, shownPage - 1) : undefined,
    older: shownPage < lastPage ? listHref(name, shownPage + 1) : undefined,
    kept: format.count(contents.reports),
    unreadable: contents.unreadable > 0 ? format.count(contents.unreadable) : undefined,
    dropped: contents.dropped > 0 ? format.count(contents.dropped) : undefined,
  };
}

function errorRow(
  group: ErrorGroup,
  messageCounts: FeedbackLinks["counts"],
  format: Formatter,
): ErrorRow {
  const moreRoutes = group.routes.length - 1;
  const messages = messageCounts.get(group.id);
  return {
    href: errorHref(group.id),
    id: group.id,
    type: group.type,
    message: group.message,
    count: format.count(group.events.length),
    last: format.time(group.lastAt),
    first: group.events.length > 1 ? format.time(group.firstAt) : undefined,
    route: group.routes[0],
    moreRoutes: moreRoutes > 0 ? `+${format.count(moreRoutes)}` : undefined,
    origins: group.origins,
    release: group.releases[0],
    messages: messages ? format.count(messages) : undefined,
  };
}

function routeRow(one: RoutePerformance, format: Formatter): RouteRow {
  const { route, requests } = one;
  const visits = Math.max(...one.vitals.map(({ count }) => count));
  return {
    route,
    special:
      route === unknownRoute ? "unknownRoute" : route === otherRoutes ? "otherRoutes" : undefined,
    visits: one.vitals.length > 0 ? format.count(visits) : undefined,
    vitals: vitals.map((vital) => {
      const found = one.vitals.find((cell) => cell.vital === vital);
      if (!found) return null;
      return {
        vital,
        value: format.vital(vital, found.p75),
        rating: found.rating,
        position: Math.round(found.position * 1000) / 1000,
        measured: format.count(found.count),
      };
    }),
    requests: requests && {
      count: format.count(requests.count),
      p50: format.duration(requests.p50),
      p75: format.duration(requests.p75),
      p95: format.duration(requests.p95),
      failureRate: format.percent(requests.failureRate),
      hasFailures: requests.failureRate > 0,
    },
  };
}
