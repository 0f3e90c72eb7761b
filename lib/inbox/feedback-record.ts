import { type Arrival, happened } from "./arrival";
import { eventId, type Fields, fields, milliseconds, text } from "./fields";

/** What somebody wrote. */
export interface FeedbackRecord {
  /** The feedback's own event id, where it has one. */
  eventId: string | undefined;
  reportId: number;
  message: string;
  name: string | undefined;
  contact: string | undefined;
  /** Path of the page it is about, without query: shown as text, never as a link. */
  page: string | undefined;
  /** The error it is about. */
  about: string | undefined;
  /** Milliseconds since the epoch, by this server's clock. */
  at: number;
}

const longestMessage = 10_000;

/**
 * Reads a `feedback` item.
 * Source: https://develop.sentry.dev/sdk/data-model/envelope-items/#user-feedback
 *
 * @returns nothing where it holds no message
 */
export function readFeedback(event: Fields, arrival: Arrival): FeedbackRecord | undefined {
  const said = fields(fields(event.contexts).feedback);
  const message = text(said.message, longestMessage);
  if (message === undefined) return undefined;
  return {
    eventId: eventId(event.event_id),
    reportId: arrival.reportId,
    message,
    name: text(said.name),
    contact: text(said.contact_email),
    page: pathOf(said.url),
    about: eventId(said.associated_event_id),
    at: happened(milliseconds(event.timestamp), arrival),
  };
}

/**
 * Reads a `user_report` item, the older form.
 * Source: https://develop.sentry.dev/sdk/data-model/envelope-items/#user-report---deprecated
 *
 * @returns nothing where it holds no message
 */
export function readUserReport(report: Fields, arrival: Arrival): FeedbackRecord | undefined {
  const message = text(report.comments, longestMessage);
  if (message === undefined) return undefined;
  return {
    eventId: undefined,
    reportId: arrival.reportId,
    message,
    name: text(report.name),
    contact: text(report.email),
    page: undefined,
    about: eventId(report.event_id),
    at: arrival.receivedAt,
  };
}

function pathOf(url: unknown): string | undefined {
  const whole = text(url, 2000);
  if (whole === undefined) return undefined;
  return text(URL.canParse(whole) ? new URL(whole).pathname : whole.replace(/[?#].*$/s, ""));
}
