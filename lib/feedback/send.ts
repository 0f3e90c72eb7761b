import { basePath } from "@/lib/navigation/location";
import type { FeedbackOutcome } from "./form";
import { checkFeedback, problemOf } from "./schema";

/**
 * Checks a filled-in form and sends it if it is valid. In a file of its own, because the browser
 * loads it only when a form is sent.
 */
export async function sendFeedback(form: FormData): Promise<FeedbackOutcome> {
  const values = Object.fromEntries(form);
  const checked = checkFeedback(values);
  if ("faults" in checked) return { faults: checked.faults };
  let answer: Response;
  try {
    answer = await fetch(`${basePath}/api/feedback`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({ ...values, build: window.__NEXT_DATA__?.buildId }),
    });
  } catch {
    return { problem: "failed" };
  }
  if (answer.ok) return { sent: true };
  const { fields } = await answer.json().catch(() => ({}));
  return fields ? { faults: fields } : { problem: problemOf(answer.status) };
}
