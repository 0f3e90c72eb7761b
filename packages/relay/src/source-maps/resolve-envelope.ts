import { isUtf8 } from "node:buffer";
import { categorySet } from "../categories.ts";
import { parseJson } from "../envelope/json-limits.ts";
import { readEnvelope } from "../envelope/read-envelope.ts";
import { type ItemToWrite, writeEnvelope } from "../envelope/write-envelope.ts";
import { resolveEvent } from "./resolve-event.ts";
import type { FrameResolver } from "./resolve-frames.ts";

interface StoredEnvelope {
  envelope: Uint8Array;
  categories: number;
  origin: "browser" | "server";
}

/** Services refuse larger events: the lines of source must not make one too large. */
const maxEventBytes = 1_000_000;
/** Far more than SDKs send. Parsed, an event could take fifty times the memory of its bytes. */
const eventLimits = { maxBytes: maxEventBytes, maxValues: 20_000, maxDepth: 100 };
const errors = categorySet(["error"]);

/**
 * Gives the error event in an envelope its places in the source. The protocol allows one.
 *
 * @param timeoutMs longest that looking up its places delays the envelope
 * @returns the very same bytes where nothing was resolved: no error in the envelope, no map, no time,
 *   an event of more than a megabyte or 20,000 values. All other items keep their payload
 */
export async function resolveEnvelope(
  { envelope, categories, origin }: StoredEnvelope,
  resolver: FrameResolver,
  timeoutMs = 900,
): Promise<Uint8Array> {
  if ((categories & errors) === 0) return envelope;
  const read = readEnvelope(envelope);
  if ("fault" in read) return envelope;
  const index = read.items.findIndex(({ type }) => type === "event");
  const { payload } = read.items[index] ?? {};
  // The service may make something of what can't be parsed.
  const event = payload && isUtf8(payload) ? parseJson(payload, eventLimits) : undefined;
  const resolved = await resolveEvent(event, { timeoutMs, origin }, resolver);
  if (resolved === event) return envelope;
  const written = JSON.stringify(resolved);
  if (Buffer.byteLength(written) > maxEventBytes) return envelope;
  const items = read.items.map(
    ({ header, payload }, i): ItemToWrite => [header, i === index ? written : payload],
  );
  return writeEnvelope(read.header, items);
}
