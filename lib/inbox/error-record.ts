import { createHash } from "node:crypto";
import type { Origin } from "@/lib/outbox/outbox";
import { type Arrival, happened } from "./arrival";
import { eventId, type Fields, fields, list, milliseconds, number, text } from "./fields";
import { routeOf } from "./route-name";

/** One error, or one message sent as an event. */
export interface ErrorRecord {
  eventId: string;
  reportId: number;
  /** Names the group of errors it belongs to: 16 hex digits. */
  group: string;
  type: string;
  message: string;
  /** Milliseconds since the epoch, by this server's clock. */
  at: number;
  origin: Origin;
  route: string | undefined;
  release: string | undefined;
}

/**
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/
 *
 * @returns nothing where neither the event nor its envelope has an id
 */
export function readError(event: Fields, arrival: Arrival): ErrorRecord | undefined {
  const id = eventId(event.event_id) ?? arrival.eventId;
  if (id === undefined) return undefined;
  const { type, message } = headline(event);
  const exception = mainException(event);
  const frame = firstOwnFrame(exception ? framesOf(exception) : []);
  return {
    eventId: id,
    reportId: arrival.reportId,
    group: groupId(type, message, frame),
    type,
    message,
    at: happened(milliseconds(event.timestamp), arrival),
    origin: arrival.origin,
    route: routeOf(event.transaction),
    release: text(event.release),
  };
}

/** The words an error goes by: its exception's type and value, or its level and message. */
export function headline(event: Fields): { type: string; message: string } {
  const exception = mainException(event);
  if (exception) {
    return {
      type: text(exception.type) ?? "Error",
      message: text(exception.value, 500) ?? "",
    };
  }
  const entry = fields(event.logentry);
  const said = text(event.message, 500) ?? text(entry.formatted, 500) ?? text(entry.message, 500);
  return { type: text(event.level) ?? "error", message: said ?? "" };
}

/** Causes come first, so the last is the exception that was reported. */
function mainException(event: Fields): Fields | undefined {
  const chain = exceptionsOf(event);
  return chain[chain.length - 1];
}

export function exceptionsOf(event: Fields): Fields[] {
  const chain = Array.isArray(event.exception) ? event.exception : fields(event.exception).values;
  return list(chain).map(fields);
}

/** @returns newest call first; the protocol has them the other way round */
export function framesOf(exception: Fields): Fields[] {
  return list(fields(exception.stacktrace).frames).map(fields).reverse();
}

function firstOwnFrame(frames: Fields[]): Fields | undefined {
  return frames.find((frame) => frame.in_app === true) ?? frames[0];
}

/**
 * A frame's file without the host it was served from or the folder it is installed in: neither is a
 * part of what went wrong, and the same fault on another machine is the same error.
 */
export function fileOf(frame: Fields): string | undefined {
  const file = text(frame.filename, 500) ?? text(frame.abs_path, 500) ?? text(frame.module, 500);
  return file
    ?.replace(/^[a-z][a-z+.-]*:\/\/[^/]*(?=\/)/i, "")
    .replace(/^.*?[/\\](?=(?:\.next|node_modules)[/\\])/, "");
}

function groupId(type: string, message: string, frame: Fields | undefined): string {
  const place = frame
    ? [fileOf(frame), text(frame.function), number(frame.lineno), number(frame.colno)]
    : [];
  const key = JSON.stringify([type, message, ...place]);
  return createHash("sha256").update(key).digest("hex").slice(0, 16);
}
