import { type Rows, Values } from "@/lib/outbox/rows";

/** A message somebody wrote, as it was filed. */
export interface FiledMessage {
  /** Equal for the same message, so that one that arrived twice counts once. */
  key: string;
  message: string;
  /** Of who wrote it; nothing for an anonymous message. */
  name: string | null;
  contact: string | null;
  /** Path of the page it is about, without query: shown as text, never as a link. */
  page: string | null;
  /** Milliseconds since the epoch, by the server's clock. */
  at: number;
  /** Event id of the error it is about. */
  about: string | null;
  /** That error, as long as it is kept. */
  group: string | null;
  errorType: string | null;
  errorMessage: string | null;
}

export interface MessagePage {
  messages: FiledMessage[];
  /** Number of all. */
  total: number;
}

const columns = `f.message_key as key, f.message, f.name, f.contact, f.page, f.seen_at as at, f.about,
  e.group_id as "group", e.type as "errorType", e.message as "errorMessage"`;

/** Reads the feedback that a `Filer` has filed. All promises may reject with an OutboxError. */
export class FiledFeedback {
  constructor(private readonly rows: Rows) {}

  async count(): Promise<number> {
    const [found] = await this.rows.select<{ count: number }>({
      text: "select count(*) as count from {feedback}",
    });
    return found?.count ?? 0;
  }

  /** The newest first. */
  newest({ limit, offset }: { limit: number; offset: number }): Promise<FiledMessage[]> {
    return this.rows.select<FiledMessage>({
      text: `select ${columns} from {feedback} as f left join {errors} as e on e.event_id = f.about
        order by f.seen_at desc, f.report_id desc limit $1 offset $2`,
      values: [limit, offset],
    });
  }

  /** What was written about the errors of a group, the newest first. */
  async ofGroup(group: string, limit: number): Promise<MessagePage> {
    const found = await this.rows.select<FiledMessage & { total: number }>({
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
    const found = await this.rows.select<{ group: string; count: number }>({
      text: `select e.group_id as "group", count(*) as count
        from {feedback} as f cross join {errors} as e
        where e.event_id = f.about and e.group_id in (${values.list(groups)})
        group by e.group_id`,
      values: values.all,
    });
    return new Map(found.map(({ group, count }) => [group, count]));
  }
}
