import type { Origin } from "@/lib/outbox/outbox";
import { type Rows, Values } from "@/lib/outbox/rows";
import type { EventKind } from "./error-records";
import type { Frame } from "./event-detail";

/** One error, or one message sent as an event, as it was filed. */
export interface FiledError {
  eventId: string;
  reportId: number;
  /** Id of its group: 16 hex digits. */
  group: string;
  kind: EventKind;
  type: string;
  message: string;
  /** Milliseconds since the epoch, by the server's clock. */
  at: number;
  origin: Origin;
  route: string | undefined;
  release: string | undefined;
  environment: string | undefined;
  traceId: string | undefined;
  stackId: string | undefined;
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
export async function selectErrors(
  rows: Rows,
  condition: string,
  values: Values,
): Promise<FiledError[]> {
  const found = await rows.select<FiledErrorRow>({
    text: `select ${columns} from {errors} ${condition}`,
    values: values.all,
  });
  return found.map(fromRow);
}

type Nullable<T> = {
  [K in keyof T]: undefined extends T[K] ? Exclude<T[K], undefined> | null : T[K];
};
type FiledErrorRow = Nullable<FiledError>;

const columns = `event_id as "eventId", report_id as "reportId", group_id as "group", kind, type,
  message, seen_at as at, origin, route, release, environment, trace_id as "traceId", stack_id as "stackId"`;

function fromRow({
  route,
  release,
  environment,
  traceId,
  stackId,
  ...row
}: FiledErrorRow): FiledError {
  return {
    ...row,
    route: route ?? undefined,
    release: release ?? undefined,
    environment: environment ?? undefined,
    traceId: traceId ?? undefined,
    stackId: stackId ?? undefined,
  };
}
