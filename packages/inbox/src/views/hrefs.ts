/** Hrefs within the inbox: paths and queries, without base path. */
import {
  askableStates,
  type ErrorFilter,
  filteredParts,
  userSearch,
} from "../model/error-filter.ts";
import type { Removed } from "../removal.ts";

export const inboxPath = "/reports";

const maxSearchLength = 200;

export const viewNames = ["errors", "performance", "feedback"] as const;
/** The views of the list, the default one first. */
export type ViewName = (typeof viewNames)[number];

/**
 * @param page from 1
 * @param filter of the errors: see `filterQuery`
 */
export function listHref(view: ViewName, page = 1, filter: Record<string, string> = {}): string {
  const query = new URLSearchParams(filter);
  if (view !== "errors") query.set("view", view);
  if (page > 1) query.set("page", String(page));
  return withQuery(inboxPath, query);
}

/** The list of the errors that are ignored. */
export const ignoredHref = listHref("errors", 1, { state: "ignored" });

/**
 * The page of an error.
 *
 * @param group id of the error's group
 * @param event id of the event to show; the latest one where it isn't given
 * @param more.format the event as the file that a browser keeps, in place of the page
 * @param more.user whose occurrences it lists; all where none is given
 */
export function errorHref(
  group: string,
  event?: string,
  { format, user }: { format?: "json"; user?: string | undefined } = {},
): string {
  const query = { ...(event && { event }), ...(format && { format }), ...(user && { user }) };
  return withQuery(`${inboxPath}/${group}`, new URLSearchParams(query));
}

/**
 * The page of a visit.
 *
 * @param traceId 32 hex digits
 */
export function visitHref(traceId: string): string {
  return `${inboxPath}/${traceId}`;
}

/** What is known of the performance of one route. */
export function routeHref(route: string): string {
  return withQuery(inboxPath, new URLSearchParams({ view: "performance", route }));
}

/** The list of a user's errors. */
export function userHref(id: string): string {
  return listHref("errors", 1, { q: userSearch(id) });
}

/** The list, which says how much was removed: see `readRemoved`. */
export function removedHref({ errors, messages, reports }: Removed): string {
  return listHref("errors", 1, { removed: [errors, messages, reports].join("-") });
}

/** @param query of the list's URL */
export function readRemoved(query: URLSearchParams): Removed | undefined {
  const given = onlyValue(query, "removed") ?? "";
  if (!/^\d{1,9}-\d{1,9}-\d{1,9}$/.test(given)) return undefined;
  const [errors = 0, messages = 0, reports = 0] = given.split("-").map(Number);
  return { errors, messages, reports };
}

/** @param url path and query */
export function queryOf(url: string): URLSearchParams {
  const at = url.indexOf("?");
  return new URLSearchParams(at === -1 ? "" : url.slice(at + 1));
}

/** @returns the value of a parameter that is given exactly once */
export function onlyValue(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  return values.length === 1 ? values[0] : undefined;
}

/** @param url path and query */
export function withoutToken(url: string): string {
  const query = queryOf(url);
  query.delete("token");
  return withQuery(url.replace(/\?.*/s, ""), query);
}

function withQuery(path: string, query: URLSearchParams): string {
  return query.size > 0 ? `${path}?${query}` : path;
}

/** @param query of the list's URL */
export function readFilter(query: URLSearchParams): ErrorFilter {
  const parts: ErrorFilter["parts"] = {};
  for (const part of filteredParts) {
    const value = onlyValue(query, part);
    if (value) parts[part] = value;
  }
  return {
    search: (onlyValue(query, "q") ?? "").trim().slice(0, maxSearchLength),
    parts,
    state: askableStates.find((one) => one === onlyValue(query, "state")),
  };
}

/** The query that `readFilter` reads, without the parts that are not asked for. */
export function filterQuery({ search, parts, state }: ErrorFilter): Record<string, string> {
  return { ...(search && { q: search }), ...parts, ...(state && { state }) };
}
