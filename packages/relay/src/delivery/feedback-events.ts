import { parseJson } from "../envelope/json-limits.ts";
import { readEnvelope } from "../envelope/read-envelope.ts";
import { type ItemToWrite, writeEnvelope } from "../envelope/write-envelope.ts";

interface FeedbackContext {
  contexts?: { feedback?: { message?: unknown } };
}

/** Far more than SDKs and the form send. Parsed, it could take fifty times the memory of its bytes. */
const limits = { maxBytes: 1_000_000, maxValues: 20_000, maxDepth: 100 };
/** Services cut a longer message. https://develop.sentry.dev/sdk/data-model/event-payloads/message/ */
const maxMessage = 8192;

/**
 * Makes an event of level info of the `feedback` item in an envelope, for services that take no such items
 * and answer 200 all the same. Its message is what the visitor wrote, so that each makes an issue of its
 * own. All else in the envelope stays as it is.
 *
 * @returns the very same envelope where there is no feedback that can be read, or an event beside it
 */
export function feedbackAsEvent(envelope: Uint8Array): Uint8Array {
  const read = readEnvelope(envelope);
  if ("fault" in read || read.items.some(({ type }) => type === "event")) return envelope;
  const index = read.items.findIndex(({ type }) => type === "feedback");
  const event = eventOf(read.items[index]?.payload);
  if (event === undefined) return envelope;
  const items = read.items.map(
    ({ header, payload }, i): ItemToWrite =>
      i === index ? [{ ...header, type: "event" }, event] : [header, payload],
  );
  return writeEnvelope(read.header, items);
}

/** @returns undefined for what is no such object: the service may make something of it */
function eventOf(payload: Uint8Array | undefined): string | undefined {
  const parsed = payload && parseJson(payload, limits);
  const { type: _, ...event } = (parsed ?? {}) as Record<string, unknown> & FeedbackContext;
  const { message } = event.contexts?.feedback ?? {};
  if (typeof message !== "string") return undefined;
  const title = `Feedback: ${message}`.slice(0, maxMessage);
  return JSON.stringify({ ...event, level: "info", logger: "feedback", message: title });
}
