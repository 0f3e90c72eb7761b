import { createHash } from "node:crypto";
import type { ResolvedFrame, SourceFrame } from "@signpost/relay/source-maps";
import type { Origin } from "@signpost/relay/store";
import { type Fields, lineOrColumn, list, text } from "./fields.ts";

/** What an error is grouped by, besides its place. */
export interface ErrorIdentity {
  /** Which side has said all this: anybody can say it in a browser's name. */
  origin: Origin;
  type: string;
  message: string;
  /** Chosen by the app, in place of type, message and place. */
  fingerprint: string[] | undefined;
}

const maxFingerprint = 20;
/** Calls that count: the same few lead to the same fault. */
const maxCalls = 10;

const defaultPart = /^\{\{\s*default\s*\}\}$/;

/**
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/#optional-attributes
 *
 * @returns nothing where the event has none, or one that only asks for the default
 */
export function fingerprintOf(event: Fields): string[] | undefined {
  const parts = list(event.fingerprint)
    .slice(0, maxFingerprint)
    .map((part) => text(part) ?? "");
  return parts.every((part) => defaultPart.test(part)) ? undefined : parts;
}

/**
 * No error of a browser is in a group of the server's errors, whatever it says.
 *
 * @returns 16 hex digits, the same in each process and for each build; behind a `b`, those of a browser's
 */
export function groupId(identity: ErrorIdentity, place: string): string {
  const { origin, type, message, fingerprint } = identity;
  const standard = hash([type, withoutVariableParts(message), place]);
  const id = fingerprint ? hash(chosenParts(fingerprint, standard)) : standard;
  return origin === "browser" ? `b${id}` : id;
}

/** Never as many as are hashed of an error without a fingerprint, so none is taken for another. */
function chosenParts(fingerprint: string[], standard: string): string[] {
  const parts = fingerprint.map((part) => (defaultPart.test(part) ? standard : part));
  return parts.length === 3 ? ["fingerprint", ...parts] : parts;
}

export function isGroupId(id: string): boolean {
  return /^b?[0-9a-f]{16}$/.test(id);
}

/** The place of an error whose source is not known: its first own frame, down to the column. */
export function reportedPlace(file: string | undefined, frame: Fields): string {
  return hash([file, text(frame.function), lineOrColumn(frame.lineno), lineOrColumn(frame.colno)]);
}

/**
 * The place of an error by its source: the app's own functions on its stack, or the library's where none
 * is. Lines don't count: they change with each edit of the file.
 *
 * @param frames oldest call first
 * @returns nothing where no source is known
 */
export function sourcePlace(frames: readonly ResolvedFrame[]): string | undefined {
  const calls = sourceCalls(frames).map((frame) => `${frame.file} ${frame.function ?? ""}`);
  // However deep a recursion went, it is one call.
  const once = calls.filter((call, i) => call !== calls[i - 1]);
  return once.length > 0 ? hash(once.slice(0, maxCalls)) : undefined;
}

export function sourceFile(frames: readonly ResolvedFrame[]): string | undefined {
  return sourceCalls(frames)[0]?.file;
}

/** Newest first: the app's own calls, or the library's where none is. */
function sourceCalls(frames: readonly ResolvedFrame[]): SourceFrame[] {
  const known = frames.flatMap((frame) => (frame.resolved ? [frame] : [])).reverse();
  const own = known.filter((frame) => frame.own);
  return own.length > 0 ? own : known.slice(0, 1);
}

const variableParts: [pattern: RegExp, name: string][] = [
  [/\b[a-z][a-z\d+.-]{0,20}:\/\/[^\s"'<>]+/gi, "<url>"],
  [/"[^"\n]*"|`[^`\n]*`|“[^”\n]*”|«[^»\n]*»/g, "<value>"],
  // Not the apostrophes of "can't" and "doesn't".
  [/(?<!\w)'[^'\n]*'(?!\w)/g, "<value>"],
  // Words with a digit in them: numbers, times, hashes, ids. Long hex may have none.
  [/\b(?=[\w-]*\d)[\w-]+(?:[.,:]\d[\w-]*)*|\b[\da-f]{16,}\b/gi, "<id>"],
];

/** Takes out of a message what differs from one occurrence to the next. */
export function withoutVariableParts(message: string): string {
  return variableParts.reduce((rest, [pattern, name]) => rest.replace(pattern, name), message);
}

function hash(parts: unknown): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}
