import { createHash } from "node:crypto";
import { readEnvelope } from "@/lib/envelope/read-envelope";
import type { StoredReport } from "@/lib/outbox/outbox";
import {
  eventId,
  type Fields,
  fields,
  milliseconds,
  parseObject,
  type ReportContext,
  serverTime,
  text,
} from "./fields";

/** A message somebody wrote. */
export interface FeedbackMessage {
  /** Equal for the same message, so that one that arrived twice counts once. */
  key: string;
  reportId: number;
  /** Its begin: see `wholeMessage`. */
  message: string;
  /** Whether there is more of it in the report. */
  isCut: boolean;
  name: string | undefined;
  contact: string | undefined;
  /** Path of the page it is about, without query: shown as text, never as a link. */
  page: string | undefined;
  /** Event id of the error it is about. */
  about: string | undefined;
  /** Milliseconds since the epoch, by this server's clock. */
  at: number;
}

/** In UTF-16 units: of a message that is shown, and of one that is kept in memory. */
const maxLength = { shown: 4000, kept: 500 };

/**
 * Reads a `feedback` item.
 * Source: https://develop.sentry.dev/sdk/data-model/envelope-items/#user-feedback
 *
 * @returns nothing where it holds no message
 */
export function readFeedback(event: Fields, context: ReportContext): FeedbackMessage | undefined {
  const feedback = fields(fields(event.contexts).feedback);
  const message = messageOf("feedback", event, maxLength.kept);
  if (message === undefined) return undefined;
  const id = eventId(event.event_id) ?? context.eventId;
  return {
    key: id ?? `report ${context.reportId}`,
    reportId: context.reportId,
    message,
    isCut: isCut(feedback.message),
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
  const whole = messageOf("user_report", report, maxLength.shown);
  const message = text(whole, maxLength.kept);
  if (whole === undefined || message === undefined) return undefined;
  const about = eventId(report.event_id) ?? context.eventId;
  const digest = createHash("sha256").update(whole).digest("hex").slice(0, 16);
  return {
    key: `${about ?? `report ${context.reportId}`} ${digest}`,
    reportId: context.reportId,
    message,
    isCut: isCut(report.comments),
    name: text(report.name),
    contact: text(report.email),
    page: undefined,
    about,
    at: context.receivedAt,
  };
}

/**
 * Reads the message of a report again, up to the length that is shown.
 *
 * @returns nothing where the report holds none
 */
export function wholeMessage(report: StoredReport): string | undefined {
  const envelope = readEnvelope(report.envelope);
  if ("fault" in envelope) return undefined;
  for (const { type, payload } of envelope.items) {
    if (type !== "feedback" && type !== "user_report") continue;
    const message = messageOf(type, parseObject(payload) ?? {}, maxLength.shown);
    if (message !== undefined) return message;
  }
  return undefined;
}

function messageOf(
  type: "feedback" | "user_report",
  payload: Fields,
  length: number,
): string | undefined {
  if (type === "user_report") return text(payload.comments, length);
  return text(fields(fields(payload.contexts).feedback).message, length);
}

function isCut(message: unknown): boolean {
  return typeof message === "string" && message.length > maxLength.kept;
}

/** @returns each message once, newest first */
export function newestFirst(messages: Iterable<FeedbackMessage>): FeedbackMessage[] {
  const byKey = new Map<string, FeedbackMessage>();
  for (const one of messages) if (!byKey.has(one.key)) byKey.set(one.key, one);
  return [...byKey.values()].sort((a, b) => b.at - a.at);
}

function pathOf(url: unknown): string | undefined {
  const whole = text(url, 2000);
  if (whole === undefined) return undefined;
  return text(URL.canParse(whole) ? new URL(whole).pathname : whole.replace(/[?#].*/s, ""));
}
