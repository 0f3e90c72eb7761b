import type { FiledMessage } from "../model/filed-feedback";
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

export function feedbackRow(one: FiledMessage, format: Formatter): FeedbackRow {
  return {
    key: one.key,
    message: one.message,
    from: one.name ?? undefined,
    contact: one.contact ?? undefined,
    page: one.page ?? undefined,
    at: format.time(one.at),
    about: aboutOf(one),
  };
}

function aboutOf({ about, group, errorType, errorMessage }: FiledMessage): FeedbackRow["about"] {
  if (about === null) return undefined;
  if (group === null) return "no-longer-kept";
  return {
    text: [errorType, errorMessage].filter(Boolean).join(": "),
    href: errorHref(group, about),
  };
}
