import type { ErrorGroup } from "@/lib/inbox/error-groups";
import type { FeedbackRecord } from "@/lib/inbox/feedback-record";
import type { Contents } from "@/lib/inbox/report-index";
import type { RoutePerformance } from "@/lib/inbox/route-performance";
import { type Rating, thresholds, type Vital, vitals } from "@/lib/inbox/vitals";
import type { Formatter, Moment } from "./format";
import { href } from "./href";
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

export interface VitalCell {
  vital: Vital;
  value: string;
  rating: Rating;
  /** 0 to 1 along the bar. */
  position: number;
  measured: string;
}

export interface RouteRow {
  route: string;
  /** How many visits were measured; vitals that not every visit has may have fewer. */
  visits: string | undefined;
  /** In the order of all vitals; null where there is no measurement. */
  vitals: (VitalCell | null)[];
  requests: { label: string; value: string; failing?: boolean }[];
}

export interface FeedbackRow {
  key: string;
  message: string;
  from: string;
  contact: string | undefined;
  page: string | undefined;
  at: Moment;
  /** The error it is about; without `href` if it is no longer kept. */
  about: { text: string; href: string | undefined } | undefined;
}

/** What the vitals are called and where their limits are. */
export interface ScaleRow {
  vital: Vital;
  good: string;
  poor: string;
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
    scale: vitals.map((vital) => ({
      vital,
      good: write.vital(vital, thresholds[vital].good),
      poor: write.vital(vital, thresholds[vital].poor),
    })),
    feedback:
      name === "feedback"
        ? part(contents.feedback).map((one) => feedbackRow(one, about.groups, texts, write))
        : [],
    newer: at > 1 ? pageHref(at - 1) : undefined,
    older: at < last ? pageHref(at + 1) : undefined,
    kept: write.count(contents.reports),
    unreadable: contents.unreadable > 0 ? write.count(contents.unreadable) : undefined,
  };
}

function viewQuery(name: ViewName): { view: string | undefined } {
  return { view: name === "errors" ? undefined : name };
}

/** The page of an error, and there of one event. */
export function errorHref(group: string, event?: string): string {
  return href(`/reports/${group}`, { event });
}

/** Group by event, and how many messages were written about each group. */
export function aboutErrors(contents: Contents): {
  groups: Map<string, ErrorGroup>;
  messages: Map<string, number>;
} {
  const wanted = new Set(contents.feedback.map((one) => one.about));
  const groups = new Map<string, ErrorGroup>();
  for (const group of contents.errors) {
    for (const event of group.events) {
      if (wanted.has(event.eventId)) groups.set(event.eventId, group);
    }
  }
  const messages = new Map<string, number>();
  for (const { about } of contents.feedback) {
    const group = about && groups.get(about);
    if (group) messages.set(group.id, (messages.get(group.id) ?? 0) + 1);
  }
  return { groups, messages };
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

export function sidesOf(group: ErrorGroup, texts: InboxTexts): string {
  return group.origins.map((origin) => texts[origin]).join(" + ");
}

function routeRow(one: RoutePerformance, texts: InboxTexts, write: Formatter): RouteRow {
  const { requests } = one;
  const visits = Math.max(...one.vitals.map(({ count }) => count));
  return {
    route: one.route,
    visits: one.vitals.length > 0 ? write.count(visits) : undefined,
    vitals: vitals.map((vital) => {
      const found = one.vitals.find((cell) => cell.vital === vital);
      return found
        ? {
            vital,
            value: write.vital(vital, found.p75),
            rating: found.rating,
            position: Math.round(found.position * 1000) / 1000,
            measured: write.count(found.count),
          }
        : null;
    }),
    requests: requests
      ? [
          { label: texts.requests, value: write.count(requests.count) },
          { label: texts.half, value: write.duration(requests.p50) },
          { label: texts.threeQuarters, value: write.duration(requests.p75) },
          { label: texts.almostAll, value: write.duration(requests.p95) },
          {
            label: texts.failed,
            value: write.share(requests.failureRate),
            failing: requests.failureRate > 0,
          },
        ]
      : [],
  };
}

export function feedbackRow(
  one: FeedbackRecord,
  groups: Map<string, ErrorGroup>,
  texts: InboxTexts,
  write: Formatter,
): FeedbackRow {
  const group = one.about ? groups.get(one.about) : undefined;
  return {
    key: `${one.reportId} ${one.eventId ?? one.about ?? ""}`,
    message: one.message,
    from: one.name ?? texts.anonymous,
    contact: one.contact,
    page: one.page,
    at: write.moment(one.at),
    about: one.about
      ? {
          text: group ? [group.type, group.message].filter(Boolean).join(": ") : texts.noLongerKept,
          href: group ? errorHref(group.id, one.about) : undefined,
        }
      : undefined,
  };
}
