import { type CategorySet, categoryOf, categorySet } from "./categories.ts";
import { type Drops, dropsOf } from "./client-report.ts";
import { type Envelope, type EnvelopeItem, withItems } from "./envelope.ts";
import { parseJson } from "./json-limits.ts";

/*
 * What is changed in an envelope on its way to the service. Each function gives back the very same
 * envelope where it changes nothing.
 */

/**
 * Services refuse larger events. The other limits are far more than SDKs and forms send: parsed, an event could
 * take fifty times the memory of its bytes.
 */
export const eventLimits = { maxBytes: 1_000_000, maxValues: 20_000, maxDepth: 100 };
/** Services cut a longer message. https://develop.sentry.dev/sdk/data-model/event-payloads/message/ */
const maxMessage = 8192;

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

interface FeedbackEvent {
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
  const feedback = parseJson(item.payload, eventLimits) as FeedbackEvent | undefined;
  const message = feedback?.contexts?.feedback?.message;
  if (typeof message !== "string") return envelope;
  const title = `Feedback: ${message}`.slice(0, maxMessage);
  const own = { type: undefined, level: "info", logger: "feedback", message: title };
  return withEvent(envelope, item, Buffer.from(JSON.stringify({ ...feedback, ...own })));
}

/** @param replaced the item in whose place the event stands */
export function withEvent(
  envelope: Envelope,
  replaced: EnvelopeItem,
  payload: Uint8Array,
): Envelope {
  const event = { type: "event", header: { ...replaced.header, type: "event" }, payload };
  const items = envelope.items.map((one) => (one === replaced ? event : one));
  return withItems(envelope, items);
}
