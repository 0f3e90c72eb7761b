import { type Driver, type StoredReport, Values } from "@signpost/relay/store";
import type { Unshown } from "./digest.ts";
import type { ErrorRow } from "./error-records.ts";
import type { Frame } from "./events.ts";

export interface ReportCounts {
  /** Including those with nothing to show. */
  reports: number;
  /** Numbers of items. */
  unshown: Unshown;
  /** Items that could not be read, and reports that could not be filed. */
  unreadable: number;
  /** Items that were too old or too many. */
  dropped: number;
}

/** One error, or one message sent as an event, as it was filed. */
export interface FiledError extends Pick<ErrorRow, "kind" | "type" | "message" | "origin"> {
  eventId: string;
  reportId: number;
  group: string;
  at: number;
  route: string | null;
  release: string | null;
  environment: string | null;
  traceId: string | null;
  userId: string | null;
  stackId: string | null;
}

/** Reads reports, and the errors in them. All promises may reject with an OutboxError. */
export class FiledReports {
  constructor(private readonly driver: Pick<Driver, "read">) {}

  /** @returns the report, or nothing if it is not kept any longer */
  async report(id: number): Promise<StoredReport | undefined> {
    const [found] = await this.driver.read<StoredReport>({
      text: `select report_id as id, kept_at as "receivedAt", origin, server, categories, envelope
        from {kept_reports} where report_id = $1`,
      values: [id],
    });
    return found;
  }

  async counts(): Promise<ReportCounts> {
    const quantities = await this.driver.read<{ kind: string; quantity: number }>({
      text: `select kind, cast(sum(quantity) as bigint) as quantity from {unfiled_items}
          group by kind
        union all select 'report', count(*) from {kept_reports}
        union all select 'dropped', cast(coalesce(sum(quantity), 0) as bigint) from {drops}`,
    });
    const ofKind = Object.fromEntries(quantities.map((one) => [one.kind, one.quantity]));
    const { report = 0, unreadable = 0, dropped = 0, ...unshown } = ofKind;
    return { reports: report, unshown, unreadable, dropped };
  }

  async event(eventId: string): Promise<FiledError | undefined> {
    return (await this.#newest({ event_id: eventId }, 1))[0];
  }

  /** The newest first. */
  ofGroup(group: string, limit: number, user?: string): Promise<FiledError[]> {
    return this.#newest({ group_id: group, ...(user && { user_id: user }) }, limit);
  }

  ofTrace(traceId: string, limit: number): Promise<FiledError[]> {
    return this.#newest({ trace_id: traceId }, limit);
  }

  #newest(wanted: Record<string, string>, limit: number): Promise<FiledError[]> {
    const values = new Values();
    const where = Object.entries(wanted).map(([column, one]) => `${column} = ${values.add(one)}`);
    return this.driver.read<FiledError>({
      text: `select event_id as "eventId", report_id as "reportId", group_id as "group", kind, type,
          message, seen_at as at, origin, route, release, environment, trace_id as "traceId",
          user_id as "userId", stack_id as "stackId"
        from {errors} where ${where.join(" and ")}
        order by seen_at desc, report_id desc limit ${values.add(limit)}`,
      values: values.all,
    });
  }

  /** The frames of an error's exceptions as they were resolved: see `EventDetail`. */
  async frames(stackId: string): Promise<Frame[][] | undefined> {
    const [found] = await this.driver.read<{ frames: string }>({
      text: "select frames from {stacks} where id = $1",
      values: [stackId],
    });
    return found && JSON.parse(found.frames);
  }
}
