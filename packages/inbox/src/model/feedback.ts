import { createHash } from "node:crypto";
import { type Driver, Values } from "@signpost/relay/store";
import {
  eventId,
  type Fields,
  fields,
  milliseconds,
  type ReportContext,
  serverTime,
  text,
  userId,
} from "./fields.ts";

/** A message somebody wrote: a row of `feedback`. */
export interface FeedbackMessage {
  /** Equal for the same message, so that one that arrived twice counts once. */
  message_key: string;
  report_id: number;
  message: string;
  name: string | undefined;
  contact: string | undefined;
  /** Path of the page it is about, without query: shown as text, never as a link. */
  page: string | undefined;
  /** Event id of the error it is about. */
  about: string | undefined;
  user_id: string | undefined;
  /** Milliseconds since the epoch, by this server's clock. */
  seen_at: number;
}

/** Of a message, in UTF-16 units: the form takes no more. */
const maxLength = 4000;

/**
 * Reads a `feedback` item, or a `user_report`, the older form.
 * Source: https://develop.sentry.dev/sdk/data-model/envelope-items/#user-feedback
 *
 * @returns nothing where it holds no message
 */
export function readFeedback(item: Fields, context: ReportContext): FeedbackMessage | undefined {
  const isOlder = item.comments !== undefined;
  const feedback = fields(fields(item.contexts).feedback);
  const message = text(isOlder ? item.comments : feedback.message, maxLength);
  if (message === undefined) return undefined;
  const id = eventId(item.event_id) ?? context.eventId;
  const key = id ?? `report ${context.reportId}`;
  const digest = createHash("sha256").update(message).digest("hex").slice(0, 16);
  return {
    // An error may have several messages of the older form, which has the error's id.
    message_key: isOlder ? `${key} ${digest}` : key,
    report_id: context.reportId,
    message,
    name: text(isOlder ? item.name : feedback.name),
    contact: text(isOlder ? item.email : feedback.contact_email),
    page: pathOf(feedback.url),
    about: isOlder ? id : eventId(feedback.associated_event_id),
    user_id: userId(fields(item.user).id),
    seen_at: serverTime(milliseconds(item.timestamp), context),
  };
}

function pathOf(url: unknown): string | undefined {
  const whole = text(url, 2000);
  if (whole === undefined) return undefined;
  return text(URL.canParse(whole) ? new URL(whole).pathname : whole.replace(/[?#].*/s, ""));
}

/** As it was filed: null for what it doesn't say. */
export interface FiledMessage {
  key: string;
  message: string;
  at: number;
  name: string | null;
  contact: string | null;
  page: string | null;
  about: string | null;
  /** The error it is about, as long as that is kept. */
  group: string | null;
  errorType: string | null;
  errorMessage: string | null;
}

const columns = `f.message_key as key, f.message, f.name, f.contact, f.page, f.seen_at as at, f.about,
  e.group_id as "group", e.type as "errorType", e.message as "errorMessage"`;

/** Reads the feedback that was filed. All promises may reject with an OutboxError. */
export class FiledFeedback {
  constructor(private readonly driver: Pick<Driver, "read">) {}

  async count(): Promise<number> {
    const [found] = await this.driver.read<{ count: number }>({
      text: "select count(*) as count from {feedback}",
    });
    return found?.count ?? 0;
  }

  /** The newest first. */
  newest({ limit, offset }: { limit: number; offset: number }): Promise<FiledMessage[]> {
    return this.driver.read<FiledMessage>({
      text: `select ${columns} from {feedback} as f left join {errors} as e on e.event_id = f.about
        order by f.seen_at desc, f.report_id desc limit $1 offset $2`,
      values: [limit, offset],
    });
  }

  /** What a user wrote, and what was written about the user's errors, the newest first. */
  ofUser(user: string, limit: number): Promise<FiledMessage[]> {
    return this.driver.read<FiledMessage>({
      text: `select ${columns} from {feedback} as f left join {errors} as e on e.event_id = f.about
        where f.user_id = $1 or f.about in (select event_id from {errors} where user_id = $1)
        order by f.seen_at desc, f.report_id desc limit $2`,
      values: [user, limit],
    });
  }

  /** What was written about the errors of a group, the newest first. */
  async ofGroup(group: string, limit: number) {
    const found = await this.driver.read<FiledMessage & { total: number }>({
      text: `select ${columns}, count(*) over () as total
        from {feedback} as f cross join {errors} as e
        where e.event_id = f.about and e.group_id = $1
        order by f.seen_at desc, f.report_id desc limit $2`,
      values: [group, limit],
    });
    return { messages: found, total: found[0]?.total ?? 0 };
  }

  /** @returns the number of messages about each of the groups that have some */
  async counts(groups: readonly string[]): Promise<Map<string, number>> {
    if (groups.length === 0) return new Map();
    const values = new Values();
    // In this order: there are far fewer messages than errors, whatever an engine assumes.
    const found = await this.driver.read<{ group: string; count: number }>({
      text: `select e.group_id as "group", count(*) as count
        from {feedback} as f cross join {errors} as e
        where e.event_id = f.about and e.group_id in (${values.list(groups)})
        group by e.group_id`,
      values: values.all,
    });
    return new Map(found.map(({ group, count }) => [group, count]));
  }
}
