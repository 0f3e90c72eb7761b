import type { FeedbackMessage } from "./feedback-messages";
import type { FiledError } from "./filed-errors";
import type { FormattedTime, Formatter } from "./formatter";
import { errorHref } from "./hrefs";

export interface FeedbackRow {
  key: string;
  message: string;
  /** The name of who wrote it; nothing for an anonymous message. */
  from: string | undefined;
  contact: string | undefined;
  page: string | undefined;
  at: FormattedTime;
  /** The error it is about. */
  about: { text: string; href: string } | "no-longer-kept" | undefined;
}

/** By event id, for the events that somebody wrote about. */
export type ErrorsByEvent = ReadonlyMap<string, FiledError>;

/** @returns the number of messages by group id */
export function countMessages(
  feedback: readonly FeedbackMessage[],
  errors: ErrorsByEvent,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { about } of feedback) {
    const group = about && errors.get(about)?.group;
    if (group) counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return counts;
}

export function feedbackRow(
  one: FeedbackMessage,
  errors: ErrorsByEvent,
  format: Formatter,
): FeedbackRow {
  return {
    key: one.key,
    message: one.message,
    from: one.name,
    contact: one.contact,
    page: one.page,
    at: format.time(one.at),
    about: one.about ? aboutOf(one.about, errors.get(one.about)) : undefined,
  };
}

function aboutOf(eventId: string, error: FiledError | undefined): FeedbackRow["about"] {
  if (!error) return "no-longer-kept";
  return {
    text: [error.type, error.message].filter(Boolean).join(": "),
    href: errorHref(error.group, eventId),
  };
}
