import { isUtf8 } from "node:buffer";
import { categorySet } from "../envelope/categories.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { parseJson } from "../envelope/json-limits.ts";
import { eventLimits, withEvent } from "../envelope/outgoing-envelope.ts";
import type { Origin } from "../outbox/reports.ts";
import type { FrameResolver } from "./frames.ts";
import { resolveEvent } from "./resolve-event.ts";

const errors = categorySet(["error"]);

/**
 * Gives the error event in an envelope its places in the source. The protocol allows one.
 *
 * @param timeoutMs longest that looking up its places delays the envelope
 * @returns the same where nothing was resolved: no error in the envelope, no map, no time, an event of
 *   more than a megabyte or 20,000 values. All other items keep their payload
 */
export async function resolveEnvelope(
  envelope: Envelope,
  origin: Origin,
  resolver: FrameResolver,
  timeoutMs = 900,
): Promise<Envelope> {
  if ((envelope.categories & errors) === 0) return envelope;
  const item = envelope.items.find(({ type }) => type === "event");
  // The service may make something of what can't be parsed.
  const event = item && isUtf8(item.payload) ? parseJson(item.payload, eventLimits) : undefined;
  const resolved = await resolveEvent(event, { timeoutMs, origin }, resolver);
  if (!item || resolved === event) return envelope;
  const payload = Buffer.from(JSON.stringify(resolved));
  return payload.length > eventLimits.maxBytes ? envelope : withEvent(envelope, item, payload);
}
