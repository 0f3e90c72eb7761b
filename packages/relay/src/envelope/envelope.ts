import { isUtf8 } from "node:buffer";
import type { Dsn } from "../dsn.ts";
import {
  type CategorySet,
  categoryOf,
  categorySet,
  type Priority,
  priorityOf,
} from "./categories.ts";
import { checkJson, isRecord } from "./json-limits.ts";

/** Untrusted where a client wrote it. One that was read is at most `maxDepth` levels deep. */
type Header = Record<string, unknown>;

export interface EnvelopeItem {
  type: string;
  header: Header;
  /** A view into the envelope's bytes; never parsed. */
  payload: Uint8Array;
}

export interface Envelope {
  header: Header;
  /** Everything after the header line: a view into the envelope's bytes. */
  body: Uint8Array;
  items: EnvelopeItem[];
  categories: CategorySet;
  /** The one that an SDK names in the header, if it has at most 200 characters. Anybody can have written it. */
  release: string | null;
}

export interface EnvelopeFault {
  fault: "malformed" | "too_large";
  /** One sentence. */
  detail: string;
}

/** Of what a client sends. */
export const clientLimits = {
  /** Bytes of one header line, without its newline. */
  headerLine: 16 * 1024,
  /** Values in all header lines together. Parsed, one of two bytes takes sixty. */
  headerValues: 2_000,
  items: 100,
};
type EnvelopeLimits = typeof clientLimits;

const unlimited = Number.POSITIVE_INFINITY;
const noLimits = { headerLine: unlimited, headerValues: unlimited, items: unlimited };

const newline = 10;
const maxDepth = 32;
/** Characters. Services take no longer one. */
const maxRelease = 200;

/**
 * Splits the bytes of one Sentry envelope into items. It parses the header lines as JSON and checks
 * `type` and `length`; it never parses a payload.
 * Source: https://develop.sentry.dev/sdk/data-model/envelopes/#serialization-format
 *
 * Never throws: for bytes that are no envelope it returns the fault.
 */
export function readEnvelope(bytes: Uint8Array, limits = noLimits): Envelope | EnvelopeFault {
  const left = { ...limits };
  const headerEnd = lineEnd(bytes, 0);
  const header = readHeader(bytes.subarray(0, headerEnd), left, "The envelope header");
  if ("fault" in header) return header;

  // The newlines after the last line hold no item.
  let end = bytes.length;
  while (bytes[end - 1] === newline) end--;

  const items: EnvelopeItem[] = [];
  let at = headerEnd + 1;
  while (at < end) {
    if (items.length === limits.items) {
      return tooLarge(`The envelope has more than ${limits.items} items.`);
    }
    const item = readItem(bytes, at, left, `The header of item ${items.length + 1}`);
    if ("fault" in item) return item;
    items.push(item.item);
    at = item.next;
  }
  if (items.length === 0) return malformed("The envelope has no items.");
  return envelopeOf(header.json, items, bytes.subarray(headerEnd + 1));
}

function envelopeOf(header: Header, items: EnvelopeItem[], body: Uint8Array): Envelope {
  const categories = categorySet(items.map(({ type }) => categoryOf(type)));
  const named = isRecord(header.trace) ? header.trace.release : undefined;
  const release = typeof named === "string" && named.length <= maxRelease ? named : null;
  return { header, body, items, categories, release };
}

/**
 * The priority of what a client's envelope holds first, by its first bytes: SDKs put an error first. Where these
 * don't say it, it counts as an error.
 */
export function firstPriority(start: Uint8Array): Priority {
  const headerEnd = lineEnd(start, 0);
  const itemEnd = lineEnd(start, headerEnd + 1);
  if (itemEnd >= start.length) return "high";
  const item = readHeader(start.subarray(headerEnd + 1, itemEnd), { ...clientLimits }, "An item");
  if ("fault" in item || typeof item.json.type !== "string") return "high";
  return priorityOf(categorySet([categoryOf(item.json.type)]));
}

function readItem(
  bytes: Uint8Array,
  start: number,
  left: EnvelopeLimits,
  name: string,
): { item: EnvelopeItem; next: number } | EnvelopeFault {
  const headerEnd = lineEnd(bytes, start);
  const header = readHeader(bytes.subarray(start, headerEnd), left, name);
  if ("fault" in header) return header;
  const { type, length } = header.json;
  if (typeof type !== "string" || type === "") return malformed(`${name} names no type.`);

  // The last item may be a header without a newline: its payload is empty.
  const payloadStart = Math.min(headerEnd + 1, bytes.length);
  let payloadEnd: number;
  if (length === undefined || length === null) {
    payloadEnd = lineEnd(bytes, payloadStart);
  } else if (typeof length === "number" && Number.isSafeInteger(length) && length >= 0) {
    payloadEnd = payloadStart + length;
    if (payloadEnd > bytes.length) return malformed(`${name} gives a length beyond the end.`);
    if (payloadEnd < bytes.length && bytes[payloadEnd] !== newline) {
      return malformed(`${name} gives a length that no newline follows.`);
    }
  } else {
    return malformed(`${name} gives a length that is not a whole number.`);
  }
  const payload = bytes.subarray(payloadStart, payloadEnd);
  return { item: { type, header: header.json, payload }, next: payloadEnd + 1 };
}

function readHeader(
  line: Uint8Array,
  left: EnvelopeLimits,
  name: string,
): { json: Header } | EnvelopeFault {
  if (line.length > left.headerLine) {
    return tooLarge(`${name} is longer than ${left.headerLine} bytes.`);
  }
  if (!isUtf8(line)) return malformed(`${name} is not UTF-8.`);
  try {
    left.headerValues -= checkJson(line, { maxValues: left.headerValues, maxDepth });
  } catch {
    return tooLarge("The headers have too many values, or are nested too deeply.");
  }
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(line.buffer, line.byteOffset, line.length).toString());
  } catch {
    return malformed(`${name} is not JSON.`);
  }
  if (!isRecord(json)) return malformed(`${name} is not a JSON object.`);
  return { json };
}

/** By a Buffer, which searches ten times as fast. */
function lineEnd(bytes: Uint8Array, start: number): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const at = buffer.indexOf(newline, start);
  return at < 0 ? bytes.length : at;
}

function malformed(detail: string): EnvelopeFault {
  return { fault: "malformed", detail };
}

function tooLarge(detail: string): EnvelopeFault {
  return { fault: "too_large", detail };
}

/** An item's header and payload, in the order in which Sentry's SDKs pair them. */
export type ItemToWrite = readonly [
  header: { readonly type?: unknown; readonly [field: string]: unknown },
  payload: string | Uint8Array,
];

/**
 * Makes an envelope. As it is written, each item's header gets the payload's `length`, so a payload may
 * hold any bytes, newlines too.
 * Source: https://develop.sentry.dev/sdk/data-model/envelopes/#serialization-format
 */
export function makeEnvelope(header: Header, written: readonly ItemToWrite[]): Envelope {
  const items = written.map(([itemHeader, payload]): EnvelopeItem => {
    return { type: String(itemHeader.type), header: itemHeader, payload: Buffer.from(payload) };
  });
  return withItems({ header }, items);
}

/** @returns the envelope with these items in place of its own */
export function withItems({ header }: Pick<Envelope, "header">, items: EnvelopeItem[]): Envelope {
  const parts = items.flatMap(({ header, payload }) => {
    return [headerLine({ ...header, length: payload.length }), payload, lineFeed];
  });
  return envelopeOf(header, items, Buffer.concat(parts));
}

/** `makeEnvelope`, as bytes. */
export function writeEnvelope(header: Header, items: readonly ItemToWrite[]): Buffer<ArrayBuffer> {
  return bytesOf(makeEnvelope(header, items));
}

/** @returns a copy */
export function bytesOf({ header, body }: Pick<Envelope, "header" | "body">): Buffer<ArrayBuffer> {
  return Buffer.concat([headerLine(header), body]);
}

const lineFeed = Buffer.from("\n");

/** @returns one header of an envelope as its line of JSON, with its newline */
export function headerLine(header: Header): Buffer<ArrayBuffer> {
  return Buffer.from(`${JSON.stringify(header)}\n`);
}

/**
 * Takes every address out of an envelope header that a client wrote: the service (`dsn` and the
 * trace's `public_key`), and the client addresses that Sentry's Relay would believe (`remote_addr`,
 * `forwarded_for`). The tunnel does this before it stores an envelope; delivery puts the configured
 * service in, which may be another one by then.
 */
export function withoutAddresses(header: Header): Header {
  const { dsn: _, remote_addr: __, forwarded_for: ___, ...rest } = header;
  if (isRecord(header.trace)) {
    const { public_key: _key, ...trace } = header.trace;
    rest.trace = trace;
  }
  return rest;
}

/**
 * Addresses an envelope header to a service, whatever service it names.
 * Source: https://develop.sentry.dev/sdk/data-model/envelopes/#envelope-headers,
 * https://develop.sentry.dev/sdk/telemetry/traces/dynamic-sampling-context/
 */
export function addressHeader(header: Header, { text, publicKey }: Dsn): Header {
  const addressed: Header = { ...header, dsn: text };
  if (isRecord(header.trace)) addressed.trace = { ...header.trace, public_key: publicKey };
  return addressed;
}
