import type { Driver } from "@/lib/relay/outbox/driver";
import type { ErrorRow } from "./error-records";
import type { Frame } from "./events";

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
  stackId: string | null;
}

/** Reads what was filed. All promises may reject with an OutboxError. */
export class FiledErrors {
  constructor(private readonly driver: Pick<Driver, "read">) {}

  async event(eventId: string): Promise<FiledError | undefined> {
    return (await this.#newest("event_id", eventId, 1))[0];
  }

  /** The newest first. */
  ofGroup(group: string, limit: number): Promise<FiledError[]> {
    return this.#newest("group_id", group, limit);
  }

  ofTrace(traceId: string, limit: number): Promise<FiledError[]> {
    return this.#newest("trace_id", traceId, limit);
  }

  #newest(column: string, value: string, limit: number): Promise<FiledError[]> {
    return this.driver.read<FiledError>({
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
    const [found] = await this.driver.read<{ frames: string }>({
      text: "select frames from {stacks} where id = $1",
      values: [stackId],
    });
    return found && JSON.parse(found.frames);
  }
}
