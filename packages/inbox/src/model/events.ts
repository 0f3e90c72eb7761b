import { readEnvelope } from "@signpost/relay/envelope";
import type { StoredReport } from "@signpost/relay/store";
import { errorId, type Fields, fields, lineOrColumn, list, parseObject, text } from "./fields.ts";

export interface Frame {
  function: string | undefined;
  /** `file:line:column`, without the parts that are not known. */
  place: string;
  /** Code of the app itself, not of a library. */
  own: boolean;
  source: SourceLines | undefined;
}

export interface SourceLines {
  before: string[];
  line: string;
  after: string[];
  /** Of `line`, from 1. */
  number: number | undefined;
}

const maxFrames = 250;
/** A chain of causes; the one that was reported comes last. */
const maxExceptions = 50;

/** Of one event, these are kept and shown. */
const maxShown = { exceptions: 10, frames: 100 };

interface FoundEvent {
  event: Fields;
  payload: Uint8Array;
}

/** @returns nothing if the report doesn't hold it */
export function findEvent(report: StoredReport, id: string): FoundEvent | undefined {
  const { id: reportId, receivedAt, envelope } = report;
  const read = readEnvelope(envelope);
  if ("fault" in read) return undefined;
  const context = { reportId, receivedAt, envelope };
  for (const item of read.items) {
    if (item.type !== "event") continue;
    const event = parseObject(item.payload, item.type);
    if (event && errorId(event, read.header.event_id, context) === id) {
      return { event, payload: item.payload };
    }
  }
  return undefined;
}

export function exceptionsOf(event: Fields): Fields[] {
  const chain = Array.isArray(event.exception) ? event.exception : fields(event.exception).values;
  return list(chain).slice(-maxExceptions).map(fields);
}

/** @returns newest call first; the protocol has the oldest first */
export function framesOf(exception: Fields): Fields[] {
  const frames = list(fields(exception.stacktrace).frames);
  return frames.slice(-maxFrames).map(fields).reverse();
}

/** Without the host or folder it was loaded from: on another machine, the error has the same group. */
export function fileOf(frame: Fields): string | undefined {
  const file = text(frame.filename, 500) ?? text(frame.abs_path, 500) ?? text(frame.module, 500);
  return file
    ?.replace(/^[a-z][a-z+.-]*:\/\/[^/]*(?=\/)/i, "")
    .replace(/^.*?[/\\](?=(?:\.next|node_modules)[/\\])/, "");
}

/** Those that are shown: the reported exception, then its causes. */
export function shownExceptions(event: Fields): Fields[] {
  return exceptionsOf(event).reverse().slice(0, maxShown.exceptions);
}

/** Newest call first. */
export function shownFrames(exception: Fields): Frame[] {
  return framesOf(exception).slice(0, maxShown.frames).map(frame);
}

function frame(one: Fields): Frame {
  const parts = [fileOf(one), text(lineOrColumn(one.lineno)), text(lineOrColumn(one.colno))];
  const line = codeLine(one.context_line);
  const lines = (value: unknown[]) => value.map((source) => codeLine(source) ?? "");
  return {
    function: text(one.function),
    place: parts.filter((part) => part !== undefined).join(":"),
    own: one.in_app === true,
    source:
      line === undefined
        ? undefined
        : {
            before: lines(list(one.pre_context).slice(-5)),
            line,
            after: lines(list(one.post_context).slice(0, 5)),
            number: lineOrColumn(one.lineno),
          },
  };
}

/** Nothing where there is no line; a blank one is the empty string. */
function codeLine(value: unknown): string | undefined {
  return value === "" ? "" : text(value, 500);
}
