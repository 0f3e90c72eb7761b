import * as z from "zod/mini";
import { type FaultCode, type Faults, feedbackFields } from "./form";

// Its compiler makes functions out of text, which the pages' policy forbids; even to try is a violation.
z.config({ jitless: true });

/** What a visitor says, checked: on the server for all, in the browser before it is sent. */
const schema = z.object(
  {
    message: z.string("messageRequired" satisfies FaultCode).check(
      // A form sends its line breaks as CRLF, a script as LF: both count the same.
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

/** Feedback as it goes on: texts without surrounding blanks, and only what was filled in. */
export type Feedback = z.infer<typeof schema>;

/** A text that may be left out or blank, and is then `undefined`. */
function optional(fault: FaultCode, fits: (text: string) => boolean) {
  return z.pipe(
    z.nullish(
      z.string(fault).check(
        z.trim(),
        z.refine((text) => text === "" || fits(text), fault),
      ),
    ),
    z.transform((text) => text || undefined),
  );
}

/**
 * Checks what somebody filled in.
 *
 * @param values fields by name; others are left out
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
