import type { Rows } from "@/lib/outbox/rows";
import type { ErrorRecord } from "./error-records";
import type { Frame } from "./event-detail";

type KeptFields = "eventId" | "reportId" | "group" | "kind" | "type" | "message" | "at" | "origin";

/** One error, or one message sent as an event, as it was filed. */
export interface FiledError extends Pick<ErrorRecord, KeptFields> {
  route: string | null;
  release: string | null;
  environment: string | null;
  traceId: string | null;
  stackId: string | null;
}

/** Reads what a `Filer` has filed. All promises may reject with an OutboxError. */
export class FiledErrors {
  constructor(private readonly rows: Rows) {}

  async event(eventId: string): Promise<FiledError | undefined> {
    return (await this.#newest("event_id", eventId, 1))[0];
  }

  /** The newest errors of a group, the newest first. */
  ofGroup(group: string, limit: number): Promise<FiledError[]> {
    return this.#newest("group_id", group, limit);
  }

  /** The newest errors of a trace, the newest first. */
  ofTrace(traceId: string, limit: number): Promise<FiledError[]> {
    return this.#newest("trace_id", traceId, limit);
  }

  #newest(column: string, value: string, limit: number): Promise<FiledError[]> {
    return this.rows.select<FiledError>({
      text: `select event_id as "eventId", report_id as "reportId", group_id as "group", kind, type,
          message, seen_at as at, origin, route, release, environment, trace_id as "traceId",
          stack_id as "stackId"
        from {errors} where ${column} = $1
        order by seen_at desc, report_id desc limit $2`,
      values: [value, limit],
    });
  }

  /** The frames of an error's exceptions as they were resolved: see `EventDetail`. */
  async frames(stackId: string): Promise<Frame[][] | undefined> {
    const [found] = await this.rows.select<{ frames: string }>({
      text: "select frames from {stacks} where id = $1",
      values: [stackId],
    });
    return found && JSON.parse(found.frames);
  }
}
