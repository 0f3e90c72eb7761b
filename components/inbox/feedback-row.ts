import type { ErrorGroup } from "@/lib/inbox/error-groups";
import type { FeedbackRecord } from "@/lib/inbox/feedback-record";
import type { Contents } from "@/lib/inbox/report-index";
import { errorHref } from "./error-href";
import type { Formatter, Moment } from "./format";
import type { InboxTexts } from "./texts";

export interface FeedbackRow {
  key: string;
  message: string;
  from: string;
  contact: string | undefined;
  page: string | undefined;
  at: Moment;
  /** The error it is about; without `href` if it is no longer kept. */
  about: { text: string; href: string | undefined } | undefined;
}

/** Group by event, and how many messages were written about each group. */
export function aboutErrors(contents: Contents): {
  groups: Map<string, ErrorGroup>;
  messages: Map<string, number>;
} {
  const wanted = new Set(contents.feedback.map((one) => one.about));
  const groups = new Map<string, ErrorGroup>();
  for (const group of contents.errors) {
    for (const event of group.events) {
      if (wanted.has(event.eventId)) groups.set(event.eventId, group);
    }
  }
  const messages = new Map<string, number>();
  for (const { about } of contents.feedback) {
    const group = about && groups.get(about);
    if (group) messages.set(group.id, (messages.get(group.id) ?? 0) + 1);
  }
  return { groups, messages };
}

export function feedbackRow(
  one: FeedbackRecord,
  groups: Map<string, ErrorGroup>,
  texts: InboxTexts,
  write: Formatter,
): FeedbackRow {
  const group = one.about ? groups.get(one.about) : undefined;
  return {
    key: one.key,
    message: one.message,
    from: one.name ?? texts.anonymous,
    contact: one.contact,
    page: one.page,
    at: write.moment(one.at),
    about: one.about
      ? {
          text: group ? [group.type, group.message].filter(Boolean).join(": ") : texts.noLongerKept,
          href: group ? errorHref(group.id, one.about) : undefined,
        }
      : undefined,
  };
}
