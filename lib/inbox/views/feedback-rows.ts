import type { FiledMessage } from "../model/filed-feedback";
import type { FormattedTime, Formatter } from "./formatter";
import { errorHref } from "./hrefs";

type SameFields = "key" | "message" | "name" | "contact" | "page";

export interface FeedbackRow extends Pick<FiledMessage, SameFields> {
  at: FormattedTime;
  /** The error it is about. */
  about: { text: string; href: string } | "no-longer-kept" | undefined;
}

export function feedbackRow(filed: FiledMessage, format: Formatter): FeedbackRow {
  const { key, message, name, contact, page } = filed;
  const at = format.time(filed.at);
  return { key, message, name, contact, page, at, about: aboutOf(filed) };
}

function aboutOf({ about, group, errorType, errorMessage }: FiledMessage): FeedbackRow["about"] {
  if (about === null) return undefined;
  if (group === null) return "no-longer-kept";
  return {
    text: [errorType, errorMessage].filter(Boolean).join(": "),
    href: errorHref(group, about),
  };
}
