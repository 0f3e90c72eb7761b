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

const maxWords = 10;

/** The words of the search. Each must be in the type, the message, the route or the file of an error. */
export function searchWords({ search }: ErrorFilter): string[] {
  return search.split(/\s+/).filter(Boolean).slice(0, maxWords);
}

/** The values that a filter can be set to, each part's newest first. */
export type FilterValues = Record<FilteredPart, string[]>;
