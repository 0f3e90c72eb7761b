import type { Values } from "@signpost/sentry/server";

/** Parts of a report that a filter can ask for. */
export const filteredParts = ["kind", "release", "environment", "route", "origin"] as const;
export type FilteredPart = (typeof filteredParts)[number];

/** Without one, all but the ignored errors are shown. */
export const askableStates = ["open", "new", "came-back", "resolved", "ignored", "all"] as const;
type AskableState = (typeof askableStates)[number];

/** Which errors the list shows. */
export interface ErrorFilter {
  /** As typed. */
  search: string;
  parts: Partial<Record<FilteredPart, string>>;
  state: AskableState | undefined;
}

const maxWords = 10;

/** As in Sentry's search. Source: https://docs.sentry.io/concepts/search/ */
const userTerm = /(?<=^|\s)user\.id:(?:"([^"]+)"|(\S+))/;

/** The user whose errors are searched for: `user.id:77`, `user.id:"a b"`. */
export function searchedUser({ search }: ErrorFilter): string | undefined {
  const [, quoted, plain] = userTerm.exec(search) ?? [];
  return quoted ?? plain;
}

/** What finds the errors of a user. */
export function userSearch(id: string): string {
  return /[\s"]/.test(id) ? `user.id:"${id}"` : `user.id:${id}`;
}

/** Each must be in the type, the message, the route or the file of an error. */
export function searchWords({ search }: ErrorFilter): string[] {
  const rest = search.replace(userTerm, "");
  return rest.split(/\s+/).filter(Boolean).slice(0, maxWords);
}

/** The values that a filter can be set to, each part's newest first. */
export type FilterValues = Record<FilteredPart, string[]>;

/** @param running the release that runs now */
export const isNew = (running: string) => `g.first_release = ${running}`;

/** By what a filter asks for. A resolved error that came back is open again. */
export const stateConditions = {
  default: () => "(s.state is null or s.state <> 'ignored')",
  all: () => "1 = 1",
  new: isNew,
  open: () => "(s.state is null or (s.state = 'resolved' and g.last_at > s.since))",
  "came-back": () => "s.state = 'resolved' and g.last_at > s.since",
  resolved: () => "s.state = 'resolved' and g.last_at <= s.since",
  ignored: () => "s.state = 'ignored'",
} as const;

/** @returns nothing where every error matches */
export function matching(filter: ErrorFilter, values: Values): string | undefined {
  const parts = filteredParts.flatMap((part) => {
    const value = filter.parts[part];
    return value === undefined ? [] : [`${part} = ${values.add(value)}`];
  });
  const words = searchWords(filter).map((word) => {
    const pattern = `%${word.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
    return `words like ${values.add(pattern)} escape '\\'`;
  });
  const all = [...parts, ...words];
  return all.length > 0 ? all.join(" and ") : undefined;
}
