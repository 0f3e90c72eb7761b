import { type Rows, Values } from "@/lib/outbox/rows";
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
    const values = new Values();
    return (await selectErrors(this.rows, `where event_id = ${values.add(eventId)}`, values))[0];
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
    const values = new Values();
    const condition = `where ${column} = ${values.add(value)}
      order by seen_at desc, report_id desc limit ${values.add(limit)}`;
    return selectErrors(this.rows, condition, values);
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

/** @param condition of a statement on the errors, with these values */
export function selectErrors(rows: Rows, condition: string, values: Values): Promise<FiledError[]> {
  return rows.select<FiledError>({
    text: `select event_id as "eventId", report_id as "reportId", group_id as "group", kind, type,
        message, seen_at as at, origin, route, release, environment, trace_id as "traceId",
        stack_id as "stackId"
      from {errors} ${condition}`,
    values: values.all,
  });
}
