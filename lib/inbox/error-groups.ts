import type { Origin } from "@/lib/outbox/outbox";
import { resolvableFrames, type UnresolvedStack } from "./error-stacks";
import {
  eventId,
  type Fields,
  fields,
  list,
  milliseconds,
  type ReportContext,
  routeName,
  serverTime,
  text,
} from "./fields";
import { fingerprintOf, groupId, isGroupedByPlace, reportedPlace } from "./group-id";

/** One error, or one message sent as an event. */
export interface ErrorRecord {
  eventId: string;
  reportId: number;
  /** Id of the group it belongs to: 16 hex digits. Changes once, when its stack is resolved. */
  group: string;
  /** Id of the group it belonged to until then. */
  firstGroup: string;
  /** Taken away to be resolved; nothing where it has no source to be found. */
  stack: UnresolvedStack | undefined;
  type: string;
  message: string;
  /** Milliseconds since the epoch, by this server's clock. */
  at: number;
  origin: Origin;
  route: string | undefined;
  release: string | undefined;
}

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
  origins: Origin[];
  /** All occurrences, newest first; never empty. */
  events: [ErrorRecord, ...ErrorRecord[]];
}

/**
 * Reads an `event` item.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/
 *
 * @returns nothing where neither the event nor its envelope has an id
 */
export function readError(event: Fields, context: ReportContext): ErrorRecord | undefined {
  const id = eventId(event.event_id) ?? context.eventId;
  if (id === undefined) return undefined;
  // Causes come first, so the last one is the exception that was reported.
  const exception = exceptionsOf(event).at(-1);
  const { type, message } = headline(event, exception);
  const frames = exception ? framesOf(exception) : [];
  const frame = frames.find((one) => one.in_app === true) ?? frames[0];
  const identity = { type, message, fingerprint: fingerprintOf(event) };
  const group = groupId(identity, frame ? reportedPlace(fileOf(frame), frame) : "");
  const release = text(event.release);
  const resolvable = isGroupedByPlace(identity) ? resolvableFrames(frames.toReversed()) : undefined;
  return {
    eventId: id,
    reportId: context.reportId,
    group,
    firstGroup: group,
    stack: resolvable && { identity, frames: resolvable, build: release },
    type,
    message,
    at: serverTime(milliseconds(event.timestamp), context),
    origin: context.origin,
    route: routeName(event.transaction),
    release,
  };
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
    groups.find(({ events }) => events.some((event) => event.firstGroup === id))
  );
}

export function exceptionsOf(event: Fields): Fields[] {
  const chain = Array.isArray(event.exception) ? event.exception : fields(event.exception).values;
  return list(chain).map(fields);
}

/** @returns newest call first; the protocol has the oldest first */
export function framesOf(exception: Fields): Fields[] {
  return list(fields(exception.stacktrace).frames).map(fields).reverse();
}

/**
 * A frame's file without the host or the folder it was loaded from: the same error on another
 * machine belongs to the same group.
 */
export function fileOf(frame: Fields): string | undefined {
  const file = text(frame.filename, 500) ?? text(frame.abs_path, 500) ?? text(frame.module, 500);
  return file
    ?.replace(/^[a-z][a-z+.-]*:\/\/[^/]*(?=\/)/i, "")
    .replace(/^.*?[/\\](?=(?:\.next|node_modules)[/\\])/, "");
}

/** The exception's type and value; the level and message of an event without an exception. */
function headline(event: Fields, exception: Fields | undefined): { type: string; message: string } {
  if (exception) {
    return { type: text(exception.type) ?? "Error", message: text(exception.value, 500) ?? "" };
  }
  const entry = fields(event.logentry);
  const message = [event.message, entry.formatted, entry.message]
    .map((one) => text(one, 500))
    .find((one) => one !== undefined);
  return { type: text(event.level) ?? "error", message: message ?? "" };
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
