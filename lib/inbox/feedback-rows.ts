import type { ErrorGroup } from "./error-groups";
import type { FeedbackMessage } from "./feedback-messages";
import type { FormattedTime, Formatter } from "./formatter";
import { errorHref } from "./hrefs";
import type { Contents } from "./report-index";

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

/** How messages and errors belong together. */
export interface FeedbackLinks {
  /** By event id, for the events that somebody wrote about. */
  groups: Map<string, ErrorGroup>;
  /** Number of messages by group id. */
  counts: Map<string, number>;
}

export function feedbackLinks({ feedback, errors }: Contents): FeedbackLinks {
  const wanted = new Set(feedback.map((one) => one.about));
  const groups = new Map<string, ErrorGroup>();
  for (const group of wanted.size > 0 ? errors : []) {
    for (const event of group.events) {
      if (wanted.has(event.eventId)) groups.set(event.eventId, group);
    }
  }
  const counts = new Map<string, number>();
  for (const { about } of feedback) {
    const group = about && groups.get(about);
    if (group) counts.set(group.id, (counts.get(group.id) ?? 0) + 1);
  }
  return { groups, counts };
}

export function feedbackRow(
  one: FeedbackMessage,
  groups: FeedbackLinks["groups"],
  format: Formatter,
): FeedbackRow {
  return {
    key: one.key,
    message: one.message,
    from: one.name,
    contact: one.contact,
    page: one.page,
    at: format.time(one.at),
    about: one.about ? aboutOf(one.about, groups.get(one.about)) : undefined,
  };
}

function aboutOf(eventId: string, group: ErrorGroup | undefined): FeedbackRow["about"] {
  if (!group) return "no-longer-kept";
  return {
    text: [group.type, group.message].filter(Boolean).join(": "),
    href: errorHref(group.id, eventId),
  };
}
