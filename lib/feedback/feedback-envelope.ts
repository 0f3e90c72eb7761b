import { randomUUID } from "node:crypto";
import { writeEnvelope } from "@signpost/relay/envelope";
import type { Feedback } from "./schema";

/** As that of all reports that leave the browser without Sentry's SDK. */
const sdk = { name: "sentry.javascript.signpost", version: "0.1.0" };

interface FeedbackContext {
  release: string;
  environment: string;
  /** URL of the page with the form, without query and hash; nothing if the browser names none. */
  page: string | undefined;
}

/**
 * Makes an envelope with one `feedback` item, as Sentry's SDKs send user feedback.
 * Source: https://develop.sentry.dev/sdk/telemetry/feedbacks/
 *
 * @returns the envelope's bytes
 */
export function feedbackEnvelope(
  { message, name, email, reference }: Feedback,
  { release, environment, page }: FeedbackContext,
): Uint8Array {
  const id = randomUUID().replaceAll("-", "");
  const now = Date.now();
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
        url: page,
      },
    },
  };
  const header = { event_id: id, sdk, sent_at: new Date(now).toISOString() };
  const item = { type: "feedback", content_type: "application/json" };
  return writeEnvelope(header, [[item, JSON.stringify(event)]]);
}
