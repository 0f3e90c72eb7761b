import {
  type ErrorFilter,
  type FilteredPart,
  type FilterValues,
  filteredParts,
} from "../model/error-filter";
import {
  type ErrorGroup,
  type GroupCounts,
  type GroupPage,
  lastPageOf,
} from "../model/error-groups";
import { eventId } from "../model/fields";
import type { MessagePage } from "../model/filed-feedback";
import type { RequestSummary, RoutePerformance } from "../model/filed-performance";
import type { ReportCounts } from "../model/filed-reports";
import type { Visit } from "../model/measurements";
import { unknownRoute } from "../model/spans";
import { type UnshownKind, unshownKinds } from "../model/unshown";
import { position, type Rating, rate, thresholds, type Vital, vitals } from "../model/vitals";
import { type FeedbackRow, feedbackRow } from "./feedback-rows";
import type { FormattedTime, Formatter } from "./formatter";
import {
  errorHref,
  filterQuery,
  listHref,
  routeHref,
  type ViewName,
  viewNames,
  visitHref,
} from "./hrefs";

/** What `/reports` shows, with numbers and times written in the page's language. */
export interface ListView {
  name: ViewName;
  tabs: { name: ViewName; href: string; count: string }[];
  /** Rows of the view shown; the other two are empty. */
  errors: ErrorRow[];
  routes: RouteRow[];
  /** Of the one route shown; none where all are. */
  slowest?: SlowVisit[] | undefined;
  feedback: FeedbackRow[];
  /** In the order of `vitals`. */
  scale: ScaleRow[];
  /** Href of the page with newer rows. */
  newer: string | undefined;
  older: string | undefined;
  kept: string;
  /** Numbers of what is kept but not shown. */
  unshown: { kind: UnshownKind; count: string }[];
  unreadable: string | undefined;
  dropped: string | undefined;
  filter: FilterView;
}

/** The search and the filters of the errors, as they are set, and what they can be set to. */
export interface FilterView {
  search: string;
  /** The search is a reference, and no error with it is kept. */
  unknownReference: boolean;
  /** Those that have more than one choice, or are set. */
  parts: { name: FilteredPart; value: string; choices: string[] }[];
  state: string;
  /** Whether anything is set. */
  active: boolean;
  /** Number of errors that only the filter for ignored ones shows. */
  ignored: string | undefined;
}

/** Of a group, what is written otherwise in its row, or only in part. */
type Rewritten = "count" | "firstAt" | "lastAt" | "routes" | "releases";

export interface ErrorRow extends Omit<ErrorGroup, Rewritten> {
  href: string;
  count: string;
  last: FormattedTime;
  /** Nothing where there is one occurrence only. */
  first: FormattedTime | undefined;
  route: string | undefined;
  /** Number of further routes, as `+2`. */
  moreRoutes: string | undefined;
  release: string | undefined;
  /** Number of messages about it. */
  messages: string | undefined;
}

export interface RouteRow {
  route: string;
  /** Whether it stands for visits whose route is not known. */
  isUnknown: boolean;
  /** Number of visits measured. Some vitals may have fewer: not every visit has them all. */
  visits: string | undefined;
  /** In the order of `vitals`; null where nobody measured one. */
  vitals: (VitalCell | null)[];
  requests: RequestFigures | undefined;
  /** Its slowest visits; nothing where they are shown already, or where there are none. */
  href: string | undefined;
}

export interface SlowVisit extends Pick<Visit, "traceId" | "origin"> {
  href: string;
  duration: string;
  at: FormattedTime;
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

export interface RequestFigures extends Record<keyof RequestSummary, string> {
  hasFailures: boolean;
}

/** The thresholds of a vital. */
export interface ScaleRow {
  vital: Vital;
  good: string;
  poor: string;
}

/** What the list is made of. */
export interface ListRequest {
  name: ViewName;
  /** From 1; a number outside gives the nearest page. */
  page: number;
  filter: ErrorFilter;
  kept: ReportCounts;
  /** The values that occur in errors. Of the view of errors. */
  values: FilterValues | undefined;
  /** No groups but in the view of errors. */
  errors: GroupPage;
  /** Of all errors. */
  counts: GroupCounts;
  /** Number of messages about each of its groups that has some. */
  messages: ReadonlyMap<string, number>;
  /** No messages but in the view of feedback. */
  feedback: MessagePage;
  /** No routes but in the view of performance. With `slowest`, it shows one route. */
  performance: { routes: RoutePerformance[]; total: number; slowest?: Visit[] };
}

export function listView(asked: ListRequest, format: Formatter): ListView {
  const { name, filter, kept, counts, messages, performance } = asked;
  const total = {
    errors: asked.errors.total,
    performance: performance.total,
    feedback: asked.feedback.total,
  };
  const lastPage = lastPageOf(total[name]);
  const shownPage = Math.min(asked.page, lastPage);
  const isOneRoute = performance.slowest !== undefined;
  const hrefOf = (page: number) => listHref(name, page, filterQuery(filter));
  return {
    name,
    tabs: viewNames.map((tab) => ({
      name: tab,
      href: listHref(tab),
      count: format.count(tab === "errors" ? counts.others : total[tab]),
    })),
    errors: asked.errors.groups.map((group) => errorRow(group, messages.get(group.id), format)),
    routes: performance.routes.map((one) => ({
      ...routeRow(one, format),
      ...(isOneRoute && { href: undefined }),
    })),
    slowest: performance.slowest?.map((one) => slowVisit(one, format)),
    feedback: asked.feedback.messages.map((one) => feedbackRow(one, format)),
    scale: vitals.map((vital) => ({
      vital,
      good: format.vital(vital, thresholds[vital].good),
      poor: format.vital(vital, thresholds[vital].poor),
    })),
    newer: shownPage > 1 && !isOneRoute ? hrefOf(shownPage - 1) : undefined,
    older: shownPage < lastPage && !isOneRoute ? hrefOf(shownPage + 1) : undefined,
    kept: format.count(kept.reports),
    unshown: unshownKinds.flatMap((kind) => {
      const count = kept.unshown[kind];
      return count ? [{ kind, count: format.count(count) }] : [];
    }),
    unreadable: kept.unreadable > 0 ? format.count(kept.unreadable) : undefined,
    dropped: kept.dropped > 0 ? format.count(kept.dropped) : undefined,
    filter: filterView(asked, format),
  };
}

function filterView({ filter, values, counts }: ListRequest, format: Formatter): FilterView {
  return {
    search: filter.search,
    // An error that is kept is shown instead of the list.
    unknownReference: eventId(filter.search) !== undefined,
    parts: filteredParts.flatMap((name) => {
      const value = filter.parts[name] ?? "";
      const known = values?.[name] ?? [];
      const choices = value === "" || known.includes(value) ? known : [value, ...known];
      return choices.length > 1 || value !== "" ? [{ name, value, choices }] : [];
    }),
    state: filter.state ?? "",
    active: Object.keys(filterQuery(filter)).length > 0,
    ignored: counts.ignored > 0 ? format.count(counts.ignored) : undefined,
  };
}

function errorRow(group: ErrorGroup, messages: number | undefined, format: Formatter): ErrorRow {
  const { count, firstAt, lastAt, routes, releases, ...same } = group;
  return {
    ...same,
    href: errorHref(group.id),
    count: format.count(count),
    last: format.time(lastAt),
    first: count > 1 ? format.time(firstAt) : undefined,
    route: routes[0],
    moreRoutes: routes.length > 1 ? `+${format.count(routes.length - 1)}` : undefined,
    release: releases[0],
    messages: messages ? format.count(messages) : undefined,
  };
}

function routeRow(one: RoutePerformance, format: Formatter): RouteRow {
  const { route, requests } = one;
  // The INP of a visit may come several times: of each page in it, and with the page load.
  const once = one.vitals.filter(({ vital }) => vital !== "inp");
  const visits = Math.max(...(once.length > 0 ? once : one.vitals).map(({ count }) => count));
  return {
    route,
    isUnknown: route === unknownRoute,
    visits: one.vitals.length > 0 ? format.count(visits) : undefined,
    vitals: vitals.map((vital) => {
      const found = one.vitals.find((cell) => cell.vital === vital);
      if (!found) return null;
      return {
        vital,
        value: format.vital(vital, found.p75),
        rating: rate(vital, found.p75),
        position: Math.round(position(vital, found.p75) * 1000) / 1000,
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
    href: one.visits > 0 ? routeHref(route) : undefined,
  };
}

function slowVisit({ traceId, duration, at, origin }: Visit, format: Formatter): SlowVisit {
  return {
    href: visitHref(traceId),
    traceId,
    duration: format.duration(duration),
    at: format.time(at),
    origin,
  };
}
