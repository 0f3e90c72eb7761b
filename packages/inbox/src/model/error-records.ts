import { isCompiled } from "@signpost/relay/source-maps";
import type { Origin } from "@signpost/relay/store";
import { exceptionsOf, fileOf, framesOf } from "./events.ts";
import {
  errorId,
  eventId,
  type Fields,
  fields,
  milliseconds,
  type ReportContext,
  routeName,
  serverTime,
  text,
  userId,
} from "./fields.ts";
import { type ErrorIdentity, fingerprintOf, groupId, reportedPlace } from "./group-id.ts";

export type EventKind = "error" | "message";

/** One error, or one message sent as an event. */
export interface ErrorRecord {
  row: ErrorRow;
  identity: ErrorIdentity;
  /** Number of its calls, or 0 where none of them is in a file of a build: it has no source to be found. */
  builtFrames: number;
  /** Of its first own call: in the source, once that is known. */
  file: string | undefined;
  /** As it was read. Parsed, it takes many times its bytes. */
  event: Fields | undefined;
}

/** Its row in `errors`, without its stack and its variant. */
export interface ErrorRow {
  event_id: string;
  report_id: number;
  /** Id of the group it belongs to as long as its source is not known, see `groupId`. */
  group_id: string;
  /** A message is an event without an exception; its type is its level. */
  kind: EventKind;
  type: string;
  message: string;
  /** Milliseconds since the epoch, by this server's clock. */
  seen_at: number;
  origin: Origin;
  route: string | undefined;
  release: string | undefined;
  environment: string | undefined;
  trace_id: string | undefined;
  user_id: string | undefined;
}

/** In UTF-16 units. The group goes by more of them, and the error's own page shows them whole. */
const keptLength = { type: 100, message: 200, file: 200 };

/**
 * Reads an `event` item.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/
 */
export function readError(event: Fields, context: ReportContext): ErrorRecord {
  // Causes come first, so the last one is the exception that was reported.
  const exception = exceptionsOf(event).at(-1);
  const { type, message } = headline(event, exception);
  const frames = exception ? framesOf(exception) : [];
  const frame = frames.find((one) => one.in_app === true) ?? frames[0];
  const { origin } = context;
  const identity = { origin, type, message, fingerprint: fingerprintOf(event) };
  const file = frame && fileOf(frame);
  const row: ErrorRow = {
    event_id: errorId(event, context.eventId, context),
    report_id: context.reportId,
    group_id: groupId(identity, frame ? reportedPlace(file, frame) : ""),
    kind: exception ? "error" : "message",
    type: text(type, keptLength.type) ?? "",
    message: text(message, keptLength.message) ?? "",
    seen_at: serverTime(milliseconds(event.timestamp), context),
    origin,
    route: routeName(event.transaction),
    release: text(event.release),
    environment: text(event.environment),
    trace_id: eventId(fields(fields(event.contexts).trace).trace_id),
    user_id: userId(fields(event.user).id),
  };
  const builtFrames = frames.some((one) => isCompiled(one)) ? frames.length : 0;
  return { row, identity, builtFrames, file: text(file, keptLength.file), event };
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
