import { randomBytes } from "node:crypto";
import type { Envelope, EnvelopeItem } from "./envelope.ts";
import { parseJson } from "./json-limits.ts";

/**
 * How the id of an event ends that a server has made. By that, every server knows it at once, whoever has made
 * it. Eight digits, since these have no upper case.
 */
const mark = "51690573";

/** @returns the id of an event of the server's, 32 hex digits: 96 random bits, and what tells whose it is */
export function newServerEventId(): string {
  return randomBytes(12).toString("hex") + mark;
}

/**
 * @param id in any form that services read: with dashes anywhere, in braces, as a URN; some read other scripts'
 *   digits, too, which no SDK writes
 */
export function isServerEventId(id: unknown): boolean {
  if (typeof id !== "string") return false;
  return /[^\0-\x7f]/.test(id) || id.replace(/urn:|uuid:|[^a-z\d]/gi, "").endsWith(mark);
}

/** Items that services file under the id of an event. */
const eventTypes = ["event", "transaction", "feedback"];
/** No service takes a larger event. */
const limits = { maxBytes: 1024 * 1024, maxValues: 50_000, maxDepth: 100 };

/**
 * Whether an envelope is to be filed under the id of an event that the server has made. A visitor knows that
 * of an error page, and services keep the first event of an id: a browser's would stand in the server's place.
 * What it says about such an event, as feedback does, is its own affair.
 */
export function takesServerEventId({ header, items }: Envelope): boolean {
  // The older form of feedback has the id of the error that it is about.
  const filed = items.filter(({ type }) => type !== "user_report");
  return filed.length > 0 && (isServerEventId(header.event_id) || filed.some(hasServerEventId));
}

const eventIdName = Buffer.from('"event_id"');
const unicodeEscape = Buffer.from("\\u00");
const quote = 0x22;
const colon = 0x3a;

function hasServerEventId({ type, payload }: EnvelopeItem): boolean {
  if (!eventTypes.includes(type)) return false;
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  if (isPlainlyNot(bytes)) return false;
  const event = parseJson(payload, limits);
  if (typeof event !== "object" || event === null) return true;
  return "event_id" in event && isServerEventId(event.event_id);
}

/**
 * Whether all that may be an id is written as SDKs write it, and lacks the mark: as nearly all are, which need not
 * be parsed. It searches bytes, since the text of a report would take its memory once more.
 */
function isPlainlyNot(bytes: Buffer): boolean {
  if (bytes.includes(unicodeEscape)) return false;
  for (let at = bytes.indexOf(eventIdName); at !== -1; at = bytes.indexOf(eventIdName, at)) {
    at += eventIdName.length;
    const isFramed = bytes[at] === colon && bytes[at + 1] === quote && bytes[at + 34] === quote;
    const id = bytes.toString("latin1", at + 2, at + 34);
    if (!isFramed || id.includes('"') || id.endsWith(mark)) return false;
  }
  return true;
}
