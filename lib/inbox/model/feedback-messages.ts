import { createHash } from "node:crypto";
import {
  eventId,
  type Fields,
  fields,
  milliseconds,
  type ReportContext,
  serverTime,
  text,
} from "./fields";

/** A message somebody wrote. */
export interface FeedbackMessage {
  /** Equal for the same message, so that one that arrived twice counts once. */
  key: string;
  reportId: number;
  message: string;
  name: string | undefined;
  contact: string | undefined;
  /** Path of the page it is about, without query: shown as text, never as a link. */
  page: string | undefined;
  /** Event id of the error it is about. */
  about: string | undefined;
  /** Milliseconds since the epoch, by this server's clock. */
  at: number;
}

/** Of a message, in UTF-16 units: the form takes no more. */
const maxLength = 4000;

/**
 * Reads a `feedback` item.
 * Source: https://develop.sentry.dev/sdk/data-model/envelope-items/#user-feedback
 *
 * @returns nothing where it holds no message
 */
export function readFeedback(event: Fields, context: ReportContext): FeedbackMessage | undefined {
  const feedback = fields(fields(event.contexts).feedback);
  const message = text(feedback.message, maxLength);
  if (message === undefined) return undefined;
  const id = eventId(event.event_id) ?? context.eventId;
  return {
    key: id ?? `report ${context.reportId}`,
    reportId: context.reportId,
    message,
    name: text(feedback.name),
    contact: text(feedback.contact_email),
    page: pathOf(feedback.url),
    about: eventId(feedback.associated_event_id),
    at: serverTime(milliseconds(event.timestamp), context),
  };
}

/**
 * Reads a `user_report` item, the older form.
 * Source: https://develop.sentry.dev/sdk/data-model/envelope-items/#user-report---deprecated
 *
 * @returns nothing where it holds no message
 */
export function readUserReport(
  report: Fields,
  context: ReportContext,
): FeedbackMessage | undefined {
  const message = text(report.comments, maxLength);
  if (message === undefined) return undefined;
  const about = eventId(report.event_id) ?? context.eventId;
  const digest = createHash("sha256").update(message).digest("hex").slice(0, 16);
  return {
    key: `${about ?? `report ${context.reportId}`} ${digest}`,
    reportId: context.reportId,
    message,
    name: text(report.name),
    contact: text(report.email),
    page: undefined,
    about,
    at: context.receivedAt,
  };
}

function pathOf(url: unknown): string | undefined {
  const whole = text(url, 2000);
  if (whole === undefined) return undefined;
  return text(URL.canParse(whole) ? new URL(whole).pathname : whole.replace(/[?#].*/s, ""));
}
