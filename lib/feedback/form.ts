import type { Messages } from "@/lib/messages/en";

/** What the form and what takes it in agree on; light, since the form carries it. */

/** Fields in the order in which they stand in the form. */
export const feedbackFields = ["message", "name", "email", "reference"] as const;
export type FeedbackField = (typeof feedbackFields)[number];

/** A field that people don't see; programs that fill in every field give themselves away. */
export const honeypot = "homepage";

/** What can be wrong with a field: a code for programs, and the key of its words in the messages. */
export type FaultCode = Extract<
  keyof Messages["feedback"],
  "messageRequired" | "messageTooLong" | "nameTooLong" | "emailWrong" | "referenceWrong"
>;
export type Faults = Partial<Record<FeedbackField, FaultCode>>;

/** Why feedback was not taken, where no field is at fault: the key of its words in the messages. */
export type Problem = Extract<
  keyof Messages["feedback"],
  "failed" | "tooMany" | "busy" | "tooLarge" | "otherSite" | "unreadable"
>;

/** What became of feedback: sent, or refused for faults in fields or for a problem. */
export interface FeedbackOutcome {
  sent?: boolean;
  faults?: Faults;
  problem?: Problem;
}

/** What a refusal's HTTP status means to the visitor. */
export function problemOf(status: number): Problem {
  if (status === 403) return "otherSite";
  if (status === 413) return "tooLarge";
  if (status === 429) return "tooMany";
  return status === 400 || status === 415 ? "unreadable" : "failed";
}
