import { isUtf8 } from "node:buffer";
import { categorySet } from "@/lib/envelope/categories";
import { type EnvelopeItem, readEnvelope } from "@/lib/envelope/read-envelope";
import { type ItemToWrite, writeEnvelope } from "@/lib/envelope/write-envelope";
import { resolveEvent } from "./resolve-event";
import { type FrameResolver, resolveFrames } from "./resolve-frames";

export interface EnvelopeResolverOptions {
  /** Longest that one envelope is delayed, in milliseconds. */
  maxMs?: number;
  resolver?: FrameResolver;
  /** Milliseconds of any clock that only goes forward. */
  now?: () => number;
}

/** The same, after an envelope for which the time was not enough. */
const hurriedMs = 100;
/** Services refuse larger events; the code must not make one too large. */
const maxEventBytes = 1_000_000;
const errors = categorySet(["error"]);

/**
 * Makes a function that gives the error events in an envelope their places in the source.
 *
 * @returns a function of an envelope's bytes and categories. It gives the very same bytes where
 *   nothing was resolved: no error in the envelope, no map, no time. All items but the events keep
 *   their payload. It rejects only for an event that can't be written again as JSON
 */
export function envelopeResolver({
  maxMs = 900,
  resolver = resolveFrames,
  now = () => performance.now(),
}: EnvelopeResolverOptions = {}) {
  let timeoutMs = maxMs;

  async function resolveItem(item: EnvelopeItem): Promise<ItemToWrite | undefined> {
    const event = item.type === "event" ? parseEvent(item.payload) : undefined;
    const resolved = await resolveEvent(event, { timeoutMs }, resolver);
    if (resolved === event) return undefined;
    const payload = JSON.stringify(resolved);
    if (Buffer.byteLength(payload) > maxEventBytes) return undefined;
    return [item.header, payload];
  }

  return async (stored: { envelope: Uint8Array; categories: number }): Promise<Uint8Array> => {
    if ((stored.categories & errors) === 0) return stored.envelope;
    const read = readEnvelope(stored.envelope);
    if ("fault" in read) return stored.envelope;
    const begin = now();
    const resolved = await Promise.all(read.items.map(resolveItem));
    // Where maps can't be read in time, a queue of errors would wait for each of them anew.
    timeoutMs = now() - begin < timeoutMs ? maxMs : hurriedMs;
    if (resolved.every((item) => item === undefined)) return stored.envelope;
    const items = read.items.map(
      ({ header, payload }, i): ItemToWrite => resolved[i] ?? [header, payload],
    );
    return writeEnvelope(read.header, items);
  };
}

function parseEvent(payload: Uint8Array): unknown {
  if (!isUtf8(payload)) return undefined;
  try {
    return JSON.parse(Buffer.from(payload).toString());
  } catch {
    // The service may make something of it.
    return undefined;
  }
}
