import { isUtf8 } from "node:buffer";
import { type CategorySet, categoryOf, categorySet } from "../categories.ts";
import { type Drops, dropsOf } from "../envelope/client-report.ts";
import { type Envelope, type EnvelopeItem, withItems } from "../envelope/envelope.ts";
import { parseJson } from "../envelope/json-limits.ts";
import type { FrameResolver } from "../source-maps/resolve.ts";
import { resolveEvent } from "../source-maps/resolve.ts";

/*
 * What is changed in an envelope on its way to the service. Each function gives back the very same
 * envelope where it changes nothing.
 */

/** Services refuse larger events: the lines of source must not make one too large. */
const maxEventBytes = 1_000_000;
/** Far more than SDKs and forms send. Parsed, an event could take fifty times the memory of its bytes. */
const eventLimits = { maxBytes: maxEventBytes, maxValues: 20_000, maxDepth: 100 };
/** Services cut a longer message. https://develop.sentry.dev/sdk/data-model/event-payloads/message/ */
const maxMessage = 8192;
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
  origin: "browser" | "server",
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
  return payload.length > maxEventBytes ? envelope : withEvent(envelope, item, payload);
}

/**
 * Leaves out the items of categories that the service limits, as Sentry's SDKs do.
 * Source: https://develop.sentry.dev/sdk/expected-features/rate-limiting/#rate-limit-enforcement
 *
 * @returns the rest, and what was lost with the others
 */
export function withoutLimited(
  envelope: Envelope,
  limited: CategorySet,
): { rest: Envelope; lost: Drops[] } {
  if ((envelope.categories & limited) === 0) return { rest: envelope, lost: [] };
  const isLimited = ({ type }: EnvelopeItem) => (categorySet([categoryOf(type)]) & limited) !== 0;
  const rest = envelope.items.filter((item) => !isLimited(item));
  const lost = dropsOf("ratelimit_backoff", envelope.items.filter(isLimited));
  return { rest: withItems(envelope, rest), lost };
}

interface FeedbackContext {
  contexts?: { feedback?: { message?: unknown } };
}

/**
 * Makes an event of level info of the `feedback` item, for services that take no such items
 * and answer 200 all the same. Its message is what the visitor wrote, so that each makes an issue of its
 * own.
 *
 * @returns the same where there is no feedback that can be read, or an event beside it
 */
export function feedbackAsEvent(envelope: Envelope): Envelope {
  const item = envelope.items.find(({ type }) => type === "feedback");
  if (!item || envelope.items.some(({ type }) => type === "event")) return envelope;
  const parsed = parseJson(item.payload, eventLimits);
  const { type: _, ...event } = (parsed ?? {}) as Record<string, unknown> & FeedbackContext;
  const { message } = event.contexts?.feedback ?? {};
  if (typeof message !== "string") return envelope;
  const title = `Feedback: ${message}`.slice(0, maxMessage);
  const made = { ...event, level: "info", logger: "feedback", message: title };
  return withEvent(envelope, item, Buffer.from(JSON.stringify(made)));
}

/** @param replaced the item in whose place the event stands */
function withEvent(envelope: Envelope, replaced: EnvelopeItem, payload: Uint8Array): Envelope {
  const event = { type: "event", header: { ...replaced.header, type: "event" }, payload };
  return withItems(
    envelope,
    envelope.items.map((one) => (one === replaced ? event : one)),
  );
}
