import * as z from "zod/mini";
import { type FaultCode, type Faults, feedbackFields } from "./form";

// zod's compiler makes functions from text. The pages' policy forbids that, and reports even the try.
z.config({ jitless: true });

/** Checked in the browser before a message is sent, and again on the server. */
const schema = z.object(
  {
    message: z.string("messageRequired" satisfies FaultCode).check(
      // A form sends line breaks as CRLF, a script as LF: both must have the same length.
      z.overwrite((text) => text.replaceAll("\r\n", "\n")),
      z.trim(),
      z.minLength(1, "messageRequired" satisfies FaultCode),
      z.maxLength(4000, "messageTooLong" satisfies FaultCode),
    ),
    name: optional("nameTooLong", (text) => text.length <= 100),
    email: optional("emailWrong", (text) => text.length <= 254 && z.regexes.email.test(text)),
    reference: optional("referenceWrong", (text) => /^[\da-f]{32}$/.test(text)),
  },
  "messageRequired" satisfies FaultCode,
);

/** Valid feedback: trimmed texts, and only the fields that were filled in. */
export type Feedback = z.infer<typeof schema>;

/** A text that may be missing or blank, which makes it `undefined`. */
function optional(fault: FaultCode, isValid: (text: string) => boolean) {
  return z.pipe(
    z.nullish(
      z.string(fault).check(
        z.trim(),
        z.refine((text) => text === "" || isValid(text), fault),
      ),
    ),
    z.transform((text) => text || undefined),
  );
}

/**
 * Checks a filled-in form.
 *
 * @param values fields by name; unknown ones are ignored
 * @returns the feedback, or the first fault of each field
 */
export function checkFeedback(values: unknown): { feedback: Feedback } | { faults: Faults } {
  const { success, data, error } = schema.safeParse(values);
  if (success) return { feedback: data };
  const faults: Faults = {};
  for (const { path, message } of error.issues) {
    const field = feedbackFields.find((name) => name === path[0]) ?? "message";
    faults[field] ??= message as FaultCode;
  }
  return { faults };
}
