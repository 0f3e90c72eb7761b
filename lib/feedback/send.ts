import { captureFeedback } from "@signpost/sentry";
import { type FeedbackOutcome, honeypot } from "./form";
import { checkFeedback } from "./schema";

/**
 * Checks a filled-in form and hands it to Sentry if it is valid: from then on it is lost nowhere, on a
 * page that is left, offline, or where the server takes no more for now. In a file of its own, because
 * the browser loads it only when a form is sent.
 */
export function sendFeedback(form: FormData): FeedbackOutcome {
  const values = Object.fromEntries(form);
  const checked = checkFeedback(values);
  if ("faults" in checked) return { faults: checked.faults };
  const { message, name, email, reference } = checked.feedback;
  if (!values[honeypot]) {
    captureFeedback({
      message,
      name,
      email,
      associatedEventId: reference,
      url: location.href,
      source: "signpost.form",
    });
  }
  return { sent: true };
}
