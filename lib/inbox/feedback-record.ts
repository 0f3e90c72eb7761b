import { type Arrival, happened } from "./arrival";
import { eventId, type Fields, fields, milliseconds, text } from "./fields";

/** What somebody wrote. */
export interface FeedbackRecord {
  /** The same for what is the same, so that what arrived twice counts once. */
  key: string;
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

const longestMessage = 4000;

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
  const id = eventId(event.event_id) ?? arrival.eventId;
  return {
    key: id ?? `report ${arrival.reportId}`,
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
  const about = eventId(report.event_id) ?? arrival.eventId;
  return {
    key: `${about ?? `report ${arrival.reportId}`} ${message}`,
    message,
    name: text(report.name),
    contact: text(report.email),
    page: undefined,
    about,
    at: arrival.receivedAt,
  };
}

function pathOf(url: unknown): string | undefined {
  const whole = text(url, 2000);
  if (whole === undefined) return undefined;
  return text(URL.canParse(whole) ? new URL(whole).pathname : whole.replace(/[?#].*$/s, ""));
}
