import type { Origin } from "@/lib/outbox/outbox";
import type { ErrorRecord, EventKind } from "./error-records";

/** Errors with the same fingerprint, or alike in type, message and the app's own calls. */
export interface ErrorGroup {
  /** 16 hex digits. */
  id: string;
  kind: EventKind;
  type: string;
  message: string;
  /** Milliseconds since the epoch. */
  firstAt: number;
  lastAt: number;
  /** Newest first, each once. */
  routes: string[];
  releases: string[];
  environments: string[];
  origins: Origin[];
  /** Ids that the group had before the stacks of its errors were resolved: links lead here still. */
  formerIds: string[];
  /**
   * The former id whose decisions count for this group too: that of most of its events, and of no
   * other group. Whoever reports an error chooses its first group.
   */
  inheritedId: string | undefined;
  /** All occurrences, newest first; never empty. */
  events: [ErrorRecord, ...ErrorRecord[]];
}

/**
 * @param records in any order; an event that arrived twice counts once
 * @param before as they were: a group with the same events stays the same object, which costs far
 *   less than a new one where there are thousands
 * @returns newest first
 */
export function groupErrors(
  records: Iterable<ErrorRecord>,
  before: readonly ErrorGroup[] = [],
): ErrorGroup[] {
  const seen = new Set<string>();
  const groups = new Map<string, [ErrorRecord, ...ErrorRecord[]]>();
  for (const record of records) {
    if (seen.has(record.eventId)) continue;
    seen.add(record.eventId);
    const group = groups.get(record.group);
    if (group) group.push(record);
    else groups.set(record.group, [record]);
  }
  const known = new Map(before.map((group) => [group.id, group]));
  return [...groups]
    .map(([id, events]) => {
      events.sort((a, b) => b.at - a.at || b.reportId - a.reportId);
      const same = known.get(id);
      return same && isUnchanged(same, events) ? same : errorGroup(events, groups);
    })
    .sort((a, b) => b.lastAt - a.lastAt);
}

/** What a group inherits depends on the other groups too. */
function isUnchanged({ formerIds, events }: ErrorGroup, sorted: readonly ErrorRecord[]): boolean {
  return (
    formerIds.length === 0 &&
    events.length === sorted.length &&
    events.every((event, i) => event === sorted[i])
  );
}

/** @returns the group that the event with this id belongs to */
export function findGroup(groups: ErrorGroup[], eventId: string): ErrorGroup | undefined {
  return groups.find(({ events }) => events.some((event) => event.eventId === eventId));
}

/**
 * @param id of a group, or of one that its errors belonged to before their stacks were resolved
 */
export function findGroupById(groups: ErrorGroup[], id: unknown): ErrorGroup | undefined {
  return (
    groups.find((group) => group.id === id) ??
    groups.find(({ formerIds }) => typeof id === "string" && formerIds.includes(id))
  );
}

/** The group that a decision about this id counts for. */
export function findDecidedGroup(groups: ErrorGroup[], id: string): ErrorGroup | undefined {
  return (
    groups.find((group) => group.id === id) ?? groups.find((group) => group.inheritedId === id)
  );
}

/** @param events newest first */
function errorGroup(
  events: [ErrorRecord, ...ErrorRecord[]],
  groups: ReadonlyMap<string, unknown>,
): ErrorGroup {
  const [newest] = events;
  const formerIds = unique(events, "firstGroup").filter((id) => id !== newest.group);
  return {
    id: newest.group,
    kind: newest.kind,
    type: newest.type,
    message: newest.message,
    firstAt: events.at(-1)?.at ?? newest.at,
    lastAt: newest.at,
    routes: unique(events, "route"),
    releases: unique(events, "release"),
    environments: unique(events, "environment"),
    origins: unique(events, "origin"),
    formerIds,
    inheritedId: formerIds.length > 0 ? inheritedId(events, groups) : undefined,
    events,
  };
}

/** Only one id can be that of most events, and it is what is left when each two that differ go. */
function inheritedId(
  events: readonly ErrorRecord[],
  groups: ReadonlyMap<string, unknown>,
): string | undefined {
  let candidate: string | undefined;
  let lead = 0;
  for (const { firstGroup } of events) {
    if (lead === 0) candidate = firstGroup;
    lead += firstGroup === candidate ? 1 : -1;
  }
  if (candidate === undefined || groups.has(candidate)) return undefined;
  const count = events.filter(({ firstGroup }) => firstGroup === candidate).length;
  return count > events.length / 2 ? candidate : undefined;
}

type Part = "route" | "release" | "environment" | "origin" | "firstGroup";

/** Most events of a group have the value of the one before, which is looked at first. */
function unique<P extends Part>(events: ErrorRecord[], part: P): NonNullable<ErrorRecord[P]>[] {
  const values: NonNullable<ErrorRecord[P]>[] = [];
  let seen: Set<ErrorRecord[P]> | undefined;
  let last: ErrorRecord[P] | undefined;
  for (const event of events) {
    const value = event[part];
    if (value === undefined || value === last) continue;
    last = value;
    if (values.length > 0) {
      seen ??= new Set<ErrorRecord[P]>(values);
      if (seen.has(value)) continue;
      seen.add(value);
    }
    values.push(value as NonNullable<ErrorRecord[P]>);
  }
  return values;
}
