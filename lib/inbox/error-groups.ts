import type { Origin } from "@/lib/outbox/outbox";
import type { ErrorRecord } from "./error-records";

/** Errors with the same fingerprint, or alike in type, message and the app's own calls. */
export interface ErrorGroup {
  /** 16 hex digits. */
  id: string;
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
  /** Ids that the group had before the stacks of its errors were resolved. */
  formerIds: string[];
  /** All occurrences, newest first; never empty. */
  events: [ErrorRecord, ...ErrorRecord[]];
}

/**
 * @param records in any order; an event that arrived twice counts once
 * @returns newest first
 */
export function groupErrors(records: Iterable<ErrorRecord>): ErrorGroup[] {
  const seen = new Set<string>();
  const groups = new Map<string, [ErrorRecord, ...ErrorRecord[]]>();
  for (const record of records) {
    if (seen.has(record.eventId)) continue;
    seen.add(record.eventId);
    const group = groups.get(record.group);
    if (group) group.push(record);
    else groups.set(record.group, [record]);
  }
  return [...groups.values()].map(errorGroup).sort((a, b) => b.lastAt - a.lastAt);
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

function errorGroup(events: [ErrorRecord, ...ErrorRecord[]]): ErrorGroup {
  events.sort((a, b) => b.at - a.at || b.reportId - a.reportId);
  const [newest] = events;
  return {
    id: newest.group,
    type: newest.type,
    message: newest.message,
    firstAt: events.at(-1)?.at ?? newest.at,
    lastAt: newest.at,
    routes: unique(events, "route"),
    releases: unique(events, "release"),
    environments: unique(events, "environment"),
    origins: unique(events, "origin"),
    formerIds: unique(events, "firstGroup").filter((id) => id !== newest.group),
    events,
  };
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
