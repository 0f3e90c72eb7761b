import { randomUUID } from "node:crypto";
import { writeEnvelope } from "@signpost/relay/envelope";
import { scrubText, sdk } from "@signpost/sentry/server";
import type { Feedback } from "./schema";

interface FeedbackContext {
  release: string | undefined;
  environment: string;
  /** URL of the page with the form, if the browser names it. Query values are removed. */
  page: string | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * Makes an envelope with one `feedback` item, as Sentry's SDKs send user feedback.
 * Source: https://develop.sentry.dev/sdk/telemetry/feedbacks/
 *
 * @returns the envelope's bytes
 */
export function feedbackEnvelope(
  { message, name, email, reference }: Feedback,
  { release, environment, page, now }: FeedbackContext,
): Uint8Array {
  const id = randomUUID().replaceAll("-", "");
  const event = {
    event_id: id,
    timestamp: now / 1000,
    platform: "javascript",
    level: "info",
    release,
    environment,
    sdk,
    tags: { side: "browser" },
    contexts: {
      feedback: {
        message,
        name,
        contact_email: email,
        associated_event_id: reference,
        source: "signpost.form",
        url: page && scrubText(page),
      },
    },
  };
  const header = { event_id: id, sdk, sent_at: new Date(now).toISOString() };
  const item = { type: "feedback", content_type: "application/json" };
  return writeEnvelope(header, [[item, JSON.stringify(event)]]);
}
