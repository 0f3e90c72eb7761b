import { categorySet } from "@/lib/envelope/categories";
import { parseJson } from "@/lib/envelope/json-limits";
import { readEnvelope } from "@/lib/envelope/read-envelope";
import { type ItemToWrite, writeEnvelope } from "@/lib/envelope/write-envelope";
import type { Delivery } from "./delivery";

/** What is read of the event, which anybody may have written. */
interface FeedbackContext {
  contexts?: { feedback?: { message?: unknown } };
}

type Sender = Pick<Delivery, "send" | "close">;

const feedback = categorySet(["feedback"]);
/** Far more than SDKs and the form send. Parsed, it could take fifty times the memory of its bytes. */
const limits = { maxBytes: 1_000_000, maxValues: 20_000, maxDepth: 100 };
/** Services cut a longer message. https://develop.sentry.dev/sdk/data-model/event-payloads/message/ */
const maxMessage = 8192;

/** The same delivery, which sends feedback as error events: see {@link feedbackAsEvent}. */
export function deliveringFeedbackAsEvents(delivery: Sender): Sender {
  return {
    send(report, now) {
      const isFeedback = (report.categories & feedback) !== 0;
      const envelope = isFeedback ? feedbackAsEvent(report.envelope) : report.envelope;
      return delivery.send({ ...report, envelope }, now);
    },
    close: () => delivery.close(),
  };
}

/**
 * Makes an event of level info of the `feedback` item in an envelope, for services that take no
 * such items and answer 200 all the same. Its message is what the visitor wrote, so that each makes
 * an issue of its own; name, address, page and the error it is about stay where they are, in
 * `contexts.feedback`. All else in the envelope stays as it is, a screenshot for one.
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
