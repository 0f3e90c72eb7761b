import type { Values } from "@signpost/relay/store";

/** Parts of a report that a filter can ask for. */
export const filteredParts = ["kind", "release", "environment", "route", "origin"] as const;
type FilteredPart = (typeof filteredParts)[number];

/** Without one, all but the ignored errors are shown, and all of a user. */
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

const userName = "user.id:";

/**
 * The user whose errors are searched for, as in Sentry's search: `user.id:77`, `user.id:"a b"`. In
 * quotation marks an id stands as in JSON.
 * Source: https://docs.sentry.io/concepts/search/
 */
export function searchedUser({ search }: ErrorFilter): string | undefined {
  return userTerm(search)?.id;
}

/** What finds the errors of a user. */
export function userSearch(id: string): string {
  return userName + (/[\s"]/.test(id) ? JSON.stringify(id) : id);
}

function userTerm(search: string): { id: string; rest: string } | undefined {
  // The space in front is one more character.
  const from = ` ${search}`.search(/\suser\.id:\S/);
  if (from < 0) return undefined;
  const given = search.slice(from + userName.length);
  const [term = ""] = /^"(?:[^"\\]|\\.)*"(?!\S)|^[^\s"]\S*/.exec(given) ?? [];
  const id = term.startsWith('"') ? unquoted(term) : term;
  return id ? { id, rest: `${search.slice(0, from)} ${given.slice(term.length)}` } : undefined;
}

function unquoted(term: string): string | undefined {
  try {
    return JSON.parse(term);
  } catch {
    // It isn't as JSON has it, and so the id is not known.
    return undefined;
  }
}

/** Each must be in the type, the message, the route or the file of an error. */
export function searchWords({ search }: ErrorFilter): string[] {
  const rest = userTerm(search)?.rest ?? search;
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
