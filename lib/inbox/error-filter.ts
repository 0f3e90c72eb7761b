import type { ErrorGroup } from "./error-groups";
import type { ErrorRecord } from "./error-records";
import { type GroupStates, isNew, statusOf } from "./group-status";
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

/** What the filter is applied to. */
export interface Filtered {
  errors: readonly ErrorGroup[];
  states: GroupStates;
  runningRelease: string;
}

/**
 * The groups with at least one event in which everything is found: each word of the search in its
 * type, message, route or file, and each part asked for.
 */
export function filterErrors(filter: ErrorFilter, within: Filtered): ErrorGroup[] {
  const matches = eventMatcher(filter);
  return within.errors.filter(
    (group) => isInState(group, filter.state, within) && (!matches || group.events.some(matches)),
  );
}

function isInState(
  group: ErrorGroup,
  state: AskableState | undefined,
  { states, runningRelease }: Filtered,
): boolean {
  if (state === "all") return true;
  if (state === "new") return isNew(group, runningRelease);
  const status = statusOf(group, states);
  if (state === undefined) return status !== "ignored";
  // An error that came back is open again.
  return status === state || (state === "open" && status === "came-back");
}

/** @returns nothing where every event matches */
function eventMatcher({
  search,
  parts,
}: ErrorFilter): ((event: ErrorRecord) => boolean) | undefined {
  const words = search.split(/\s+/).filter(Boolean).slice(0, max.words).map(ignoringCase);
  const wanted = filteredParts.filter((part) => parts[part] !== undefined);
  if (words.length === 0 && wanted.length === 0) return undefined;
  return (event) =>
    wanted.every((part) => event[part] === parts[part]) &&
    words.every(
      (word) =>
        word.test(event.message) ||
        word.test(event.type) ||
        (event.route !== undefined && word.test(event.route)) ||
        (event.file !== undefined && word.test(event.file)),
    );
}

/** Looks for a word in texts without making a lower-case copy of each. */
function ignoringCase(word: string): RegExp {
  return new RegExp(word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "iu");
}

/** The values that a filter can be set to, each part's newest first. */
export type FilterValues = Record<FilteredPart, string[]>;

/** A list of choices has no more, however many routes and releases clients make up. */
const maxValues = 100;

/** The values that occur in errors. */
export function filterValues(errors: readonly ErrorGroup[]): FilterValues {
  const values = {
    kind: new Set<string>(),
    release: new Set<string>(),
    environment: new Set<string>(),
    route: new Set<string>(),
    origin: new Set<string>(),
  };
  for (const group of errors) {
    addAll(values.kind, [group.kind]);
    addAll(values.release, group.releases);
    addAll(values.environment, group.environments);
    addAll(values.route, group.routes);
    addAll(values.origin, group.origins);
  }
  return {
    kind: [...values.kind].sort(),
    release: [...values.release],
    environment: [...values.environment],
    route: [...values.route].sort(),
    origin: [...values.origin].sort(),
  };
}

function addAll(set: Set<string>, values: readonly string[]): void {
  for (const value of values) {
    if (set.size >= maxValues) return;
    set.add(value);
  }
}
