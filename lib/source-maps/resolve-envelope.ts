import { isUtf8 } from "node:buffer";
import { categorySet } from "@/lib/envelope/categories";
import { parseJson } from "@/lib/envelope/json-limits";
import { readEnvelope } from "@/lib/envelope/read-envelope";
import { type ItemToWrite, writeEnvelope } from "@/lib/envelope/write-envelope";
import { resolveEvent } from "./resolve-event";
import { type FrameResolver, resolveFrames } from "./resolve-frames";

interface EnvelopeResolverOptions {
  /** Longest that one envelope is delayed by looking up its places, in milliseconds. */
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

/** `maxMs` is halved for each envelope that used it up, down to this. */
const hurriedMs = 100;
/** Added for the first envelope: on a busy machine the thread takes long to start. */
const startMs = 5_000;
/** Services refuse larger events: the lines of source must not make one too large. */
const maxEventBytes = 1_000_000;
/** Far more than SDKs send. Parsed, an event could take fifty times the memory of its bytes. */
const eventLimits = { maxBytes: maxEventBytes, maxValues: 20_000, maxDepth: 100 };
const errors = categorySet(["error"]);

/**
 * Makes a function that gives the error event in an envelope its places in the source. The protocol
 * allows one; only the first is looked at.
 *
 * @returns a function of an envelope's bytes, categories and origin. It gives the very same bytes
 *   where nothing was resolved: no error in the envelope, no map, no time, an event of more than a
 *   megabyte or 20,000 values. All other items keep their payload. It never rejects
 */
export function envelopeResolver({
  maxMs = 900,
  resolver = resolveFrames,
  now = () => performance.now(),
}: EnvelopeResolverOptions = {}) {
  // Strangers can use up the time of what browsers made, but not the server's.
  const timeoutMs = { browser: maxMs, server: maxMs };

  return async ({ envelope, categories, origin }: StoredEnvelope): Promise<Uint8Array> => {
    if ((categories & errors) === 0) return envelope;
    const read = readEnvelope(envelope);
    if ("fault" in read) return envelope;
    const index = read.items.findIndex(({ type }) => type === "event");
    const { payload } = read.items[index] ?? {};
    // The service may make something of what can't be parsed.
    const event = payload && isUtf8(payload) ? parseJson(payload, eventLimits) : undefined;
    const begin = now();
    const options = { timeoutMs: timeoutMs[origin], startMs, origin };
    const resolved = await resolveEvent(event, options, resolver);
    // If maps can't be read in time, each error in a queue would wait the whole time again.
    const isLate = now() - begin >= options.timeoutMs;
    timeoutMs[origin] = isLate ? Math.max(options.timeoutMs / 2, hurriedMs) : maxMs;
    const written = resolved === event ? undefined : writtenEvent(resolved);
    if (written === undefined) return envelope;
    const items = read.items.map(
      ({ header, payload }, i): ItemToWrite => [header, i === index ? written : payload],
    );
    return writeEnvelope(read.header, items);
  };
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
