import type { Origin } from "@/lib/outbox/outbox";
import { builtPosition, type ReportedFrame } from "@/lib/source-maps/frames";
import {
  eventId,
  type Fields,
  fields,
  list,
  milliseconds,
  position,
  type ReportContext,
  routeName,
  serverTime,
  text,
} from "./fields";
import {
  type ErrorIdentity,
  fingerprintOf,
  groupId,
  isGroupedByPlace,
  reportedPlace,
} from "./group-id";

/** The stack of an error, whose group goes by its source once that is known. */
interface UnresolvedStack {
  identity: ErrorIdentity;
  /** Oldest call first. */
  frames: ReportedFrame[];
}

export type EventKind = "error" | "message";

/** One error, or one message sent as an event. */
export interface ErrorRecord {
  eventId: string;
  reportId: number;
  /** A message is an event without an exception; its type is its level. */
  kind: EventKind;
  /** Id of the group it belongs to as long as its source is not known: 16 hex digits. */
  group: string;
  /** Nothing where it has no source to be found, or none that its group goes by. */
  stack: UnresolvedStack | undefined;
  /** Whether any of its calls is in a file of a build. */
  isBuilt: boolean;
  /** Of its first own call: in the source, once that is known. */
  file: string | undefined;
  type: string;
  message: string;
  /** Milliseconds since the epoch, by this server's clock. */
  at: number;
  origin: Origin;
  route: string | undefined;
  release: string | undefined;
  environment: string | undefined;
  traceId: string | undefined;
}

/** SDKs send 50 at most. */
const maxFrames = 250;
/** Frames that are resolved for the group. */
const maxResolved = 50;
/** A chain of causes; the one that was reported comes last. */
const maxExceptions = 50;

/**
 * What is kept of the texts, in UTF-16 units. The group goes by more of them, and the
 * error's own page shows them as they are in the report.
 */
const keptLength = { type: 100, message: 200, file: 200 };

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
  const file = frame && fileOf(frame);
  const group = groupId(identity, frame ? reportedPlace(file, frame) : "");
  const release = text(event.release);
  const resolvable = resolvableFrames(frames.toReversed());
  return {
    eventId: id,
    reportId: context.reportId,
    kind: exception ? "error" : "message",
    group,
    stack: resolvable && isGroupedByPlace(identity) ? { identity, frames: resolvable } : undefined,
    isBuilt: resolvable !== undefined,
    file: text(file, keptLength.file),
    type: text(type, keptLength.type) ?? "",
    message: text(message, keptLength.message) ?? "",
    at: serverTime(milliseconds(event.timestamp), context),
    origin: context.origin,
    route: routeName(event.transaction),
    release,
    environment: text(event.environment),
    traceId: eventId(fields(fields(event.contexts).trace).trace_id),
  };
}

/** @returns the part of the frames that resolving needs; nothing where none is of a build */
function resolvableFrames(frames: readonly Fields[]): ReportedFrame[] | undefined {
  const last = frames.slice(-maxResolved);
  if (!last.some((frame) => builtPosition(frame))) return undefined;
  return last.map(({ filename, abs_path, function: name, lineno, colno }) => ({
    filename: short(filename),
    abs_path: abs_path === filename ? undefined : short(abs_path),
    function: short(name),
    lineno: position(lineno),
    colno: position(colno),
  }));
}

function short(value: unknown): string | undefined {
  return typeof value === "string" && value.length <= 200 ? value : undefined;
}

export function exceptionsOf(event: Fields): Fields[] {
  const chain = Array.isArray(event.exception) ? event.exception : fields(event.exception).values;
  return list(chain).slice(-maxExceptions).map(fields);
}

/** @returns newest call first; the protocol has the oldest first. Of too many, the newest */
export function framesOf(exception: Fields): Fields[] {
  const frames = list(fields(exception.stacktrace).frames);
  return frames.slice(-maxFrames).map(fields).reverse();
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
