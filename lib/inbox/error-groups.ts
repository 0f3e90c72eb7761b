import type { Origin } from "@/lib/outbox/outbox";
import type { ErrorRecord } from "./error-record";

/** Errors that are one and the same fault: alike in type, message and first own frame. */
export interface ErrorGroup {
  /** 16 hex digits; the same as long as the fault is. */
  id: string;
  type: string;
  message: string;
  /** Milliseconds since the epoch. */
  firstAt: number;
  lastAt: number;
  /** Newest first, without repetition. */
  routes: string[];
  releases: string[];
  origins: Origin[];
  /** Newest first, never empty; as many as it was seen times. */
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
  return [...groups.values()].map(group).sort((a, b) => b.lastAt - a.lastAt);
}

/** @returns the group that the event with this id belongs to */
export function findGroup(groups: ErrorGroup[], eventId: string): ErrorGroup | undefined {
  return groups.find(({ events }) => events.some((event) => event.eventId === eventId));
}

function group(events: [ErrorRecord, ...ErrorRecord[]]): ErrorGroup {
  events.sort((a, b) => b.at - a.at || b.reportId - a.reportId);
  const [newest] = events;
  return {
    id: newest.group,
    type: newest.type,
    message: newest.message,
    firstAt: events[events.length - 1]?.at ?? newest.at,
    lastAt: newest.at,
    routes: unique(events, (event) => event.route),
    releases: unique(events, (event) => event.release),
    origins: unique(events, (event) => event.origin),
    events,
  };
}

function unique<T>(events: ErrorRecord[], read: (event: ErrorRecord) => T | undefined): T[] {
  const values = new Set<T>();
  for (const event of events) {
    const value = read(event);
    if (value !== undefined) values.add(value);
  }
  return [...values];
}
