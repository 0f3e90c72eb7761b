import { isUtf8 } from "node:buffer";
import { categorySet } from "@/lib/envelope/categories";
import { type EnvelopeItem, readEnvelope } from "@/lib/envelope/read-envelope";
import { type ItemToWrite, writeEnvelope } from "@/lib/envelope/write-envelope";
import { checkJson } from "./json-limits.js";
import { resolveEvent } from "./resolve-event";
import { type FrameResolver, resolveFrames } from "./resolve-frames";

export interface EnvelopeResolverOptions {
  /** Longest that one envelope is delayed, in milliseconds. */
  maxMs?: number;
  resolver?: FrameResolver;
  /** Milliseconds of any clock that only goes forward. */
  now?: () => number;
}

interface StoredEnvelope {
  envelope: Uint8Array;
  categories: number;
  origin: "browser" | "server";
}

/** The same, after an envelope for which the time was not enough. */
const hurriedMs = 100;
/** Services refuse larger events; the code must not make one too large. */
const maxEventBytes = 1_000_000;
/**
 * Of all events in one envelope; SDKs send one. Some tens of megabytes are the most that the sixteen
 * that are sent at once take while they wait.
 */
const maxParsed = { bytes: maxEventBytes, values: 20_000 };
/** Far more than SDKs send, and little enough for any function that calls itself. */
const maxDepth = 100;
const errors = categorySet(["error"]);

/**
 * Makes a function that gives the error events in an envelope their places in the source.
 *
 * @returns a function of an envelope's bytes, categories and origin. It gives the very same bytes
 *   where nothing was resolved: no error in the envelope, no map, no time, events of more than a
 *   megabyte or 20,000 values. All items but the events keep their payload. It never rejects
 */
export function envelopeResolver({
  maxMs = 900,
  resolver = resolveFrames,
  now = () => performance.now(),
}: EnvelopeResolverOptions = {}) {
  // Of each origin, so that nobody's errors but the server's shorten the time of those.
  const timeoutMs = { browser: maxMs, server: maxMs };

  return async ({ envelope, categories, origin }: StoredEnvelope): Promise<Uint8Array> => {
    if ((categories & errors) === 0) return envelope;
    const read = readEnvelope(envelope);
    if ("fault" in read) return envelope;
    const begin = now();
    const options = { timeoutMs: timeoutMs[origin], origin };
    const events = parseEvents(read.items);
    const resolve = (event: unknown) => resolveEvent(event, options, resolver);
    const resolved = await Promise.all(events.map(resolve));
    // Where maps can't be read in time, a queue of errors would wait for each of them anew.
    timeoutMs[origin] = now() - begin < options.timeoutMs ? maxMs : hurriedMs;
    const payloads = resolved.map((event, i) =>
      event === events[i] ? undefined : writtenEvent(event),
    );
    if (payloads.every((payload) => payload === undefined)) return envelope;
    const items = read.items.map(
      ({ header, payload }, i): ItemToWrite => [header, payloads[i] ?? payload],
    );
    return writeEnvelope(read.header, items);
  };
}

/** @returns as many as items: undefined for what is no event, can't be parsed, or is too much */
function parseEvents(items: readonly EnvelopeItem[]): unknown[] {
  const left = { ...maxParsed };
  return items.map(({ type, payload }) => {
    if (type !== "event" || payload.length > left.bytes || !isUtf8(payload)) return undefined;
    try {
      left.values -= checkJson(payload, { maxValues: left.values, maxDepth });
      left.bytes -= payload.length;
      return JSON.parse(Buffer.from(payload).toString());
    } catch {
      // The service may make something of it.
      return undefined;
    }
  });
}

/** @returns nothing where it can't be written again, or services would refuse it */
function writtenEvent(event: unknown): string | undefined {
  try {
    const payload = JSON.stringify(event);
    return Buffer.byteLength(payload) <= maxEventBytes ? payload : undefined;
  } catch {
    return undefined;
  }
}
