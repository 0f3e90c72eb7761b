import { onlyValue } from "./hrefs";

/** What a filter can ask for: parts of a report that are equal in many. */
export const filteredParts = ["kind", "release", "environment", "route", "origin"] as const;
export type FilteredPart = (typeof filteredParts)[number];

/** States to ask for. Without one, all but the ignored errors are shown. */
export const askableStates = ["open", "new", "came-back", "resolved", "ignored", "all"] as const;
type AskableState = (typeof askableStates)[number];

/** Which errors the list shows. */
export interface ErrorFilter {
  /** As typed. */
  search: string;
  parts: Partial<Record<FilteredPart, string>>;
  state: AskableState | undefined;
}

const max = { searchLength: 200, words: 10 };

/** @param query of the list's URL */
export function readFilter(query: URLSearchParams): ErrorFilter {
  const parts: ErrorFilter["parts"] = {};
  for (const part of filteredParts) {
    const value = onlyValue(query, part);
    if (value) parts[part] = value;
  }
  return {
    search: (onlyValue(query, "q") ?? "").trim().slice(0, max.searchLength),
    parts,
    state: askableStates.find((one) => one === onlyValue(query, "state")),
  };
}

/** The query that `readFilter` reads, without the parts that are not asked for. */
export function filterQuery({ search, parts, state }: ErrorFilter): Record<string, string> {
  return { ...(search && { q: search }), ...parts, ...(state && { state }) };
}

/** The words of the search. Each must be in the type, the message, the route or the file of an error. */
export function searchWords({ search }: ErrorFilter): string[] {
  return search.split(/\s+/).filter(Boolean).slice(0, max.words);
}

/** The values that a filter can be set to, each part's newest first. */
export type FilterValues = Record<FilteredPart, string[]>;
