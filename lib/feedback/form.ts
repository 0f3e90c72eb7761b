/** What the form and the server share. Kept small: every page with the form loads it. */

/** In the order of the form. */
export const feedbackFields = ["message", "name", "email", "reference"] as const;
export type FeedbackField = (typeof feedbackFields)[number];

/** A field that people don't see. Only programs fill it in. */
export const honeypot = "homepage";

/** What is wrong with a field: a code for programs, and the key of its text in the messages. */
export type FaultCode =
  | "messageRequired"
  | "messageTooLong"
  | "nameTooLong"
  | "emailWrong"
  | "referenceWrong";
export type Faults = Partial<Record<FeedbackField, FaultCode>>;

/** Why a form was refused if all fields are valid: the key of its text in the messages. */
export type Problem = "failed" | "tooMany" | "busy" | "tooLarge" | "otherSite" | "unreadable";

/** Feedback was sent, or was refused because of faults in fields or of a problem. */
export interface FeedbackOutcome {
  sent?: boolean;
  faults?: Faults;
  problem?: Problem;
}
