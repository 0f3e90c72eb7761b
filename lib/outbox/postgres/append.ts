import type { Drops } from "@/lib/envelope/client-report";
import { rowOverheadBytes, sizeOf, type Usages } from "../eviction";
import type { OutboxBounds, OutboxError } from "../outbox";
import type { NewReport } from "../store";
import { planCapacity } from "./capacity";
import { type Database, type Run, settings } from "./database";
import { countDrops, removeReports } from "./removals";
import { nowMs, type Tables } from "./schema";

export interface AppendContext {
  bounds: OutboxBounds;
  usages: Usages;
  /** Host name of this server. */
  server: string;
  /** Milliseconds since the epoch; undefined for the database's clock. */
  now: number | undefined;
}

export interface Appended<R> {
  drops: Drops[];
  refused: Map<R, OutboxError>;
}

/** Without a bound by number: a bigint has no infinity. */
const unlimited = Number.MAX_SAFE_INTEGER;

/** Does all that storing a report at a bound takes, and undoes it. @throws {OutboxError} */
export async function rehearseAppend(
  database: Database,
  report: NewReport,
  context: AppendContext,
): Promise<void> {
  await database.rehearse((query) => appendWithPlan(query, database.tables, [report], context));
}

/**
 * Stores reports in one transaction: by one statement as long as there is room for all of them.
 *
 * @throws {OutboxError} if none was stored
 */
export async function append<R extends NewReport>(
  database: Database,
  reports: R[],
  context: AppendContext,
): Promise<Appended<R>> {
  const { tables } = database;
  const { maxBytes, maxReports = unlimited } = context.bounds;
  const values = new Placeholders();
  const added = addedTo(reports, values);
  const [room] = await database.queryAlone(
    `with ${settings}, room as (
       update ${tables.totals} as t set ${added.set}
       from settings, ${tables.totals} as gone
       where t.side = 'in' and gone.side = 'out' and settings.applied is not null
         and t.bytes - gone.bytes + ${added.bytes} <= ${values.add(maxBytes)}
         and t.important + t.others - gone.important - gone.others + ${added.count}
           <= ${values.add(maxReports)}
       returning t.last_id - ${added.count} as base
     ), inserted as (${insertInto(tables, reports, context, values)})
     select base from room`,
    values.all,
  );
  if (room) return { drops: [], refused: new Map() };
  return database.transaction((query) => appendWithPlan(query, tables, reports, context));
}

async function appendWithPlan<R extends NewReport>(
  query: Run,
  tables: Tables,
  reports: R[],
  context: AppendContext,
): Promise<Appended<R>> {
  const plan = await planCapacity(query, tables, reports, context);
  await removeReports(query, tables, plan.victims);
  if (plan.accepted.length > 0) await insert(query, tables, plan.accepted, context);
  await countDrops(query, tables, plan.drops);
  return plan;
}

/** Stores reports whatever the bounds. */
export async function insert(
  query: Run,
  tables: Tables,
  reports: NewReport[],
  context: AppendContext,
): Promise<void> {
  const values = new Placeholders();
  const added = addedTo(reports, values);
  await query(
    `with room as (
       update ${tables.totals} as t set ${added.set}
       where t.side = 'in' returning t.last_id - ${added.count} as base
     ) ${insertInto(tables, reports, context, values)}`,
    values.all,
  );
}

/** The values of one statement. */
class Placeholders {
  readonly all: unknown[] = [];

  /** @returns what stands for it */
  add(value: unknown): string {
    return `$${this.all.push(value)}`;
  }
}

/** What reports add to the row `in` of the totals, here `t`. */
function addedTo(reports: NewReport[], values: Placeholders) {
  const others = reports.filter(({ priority }) => priority === "low").length;
  const count = values.add(reports.length);
  const bytes = values.add(reports.reduce((sum, report) => sum + sizeOf(report), 0));
  const set = `last_id = t.last_id + ${count}, bytes = t.bytes + ${bytes},
    important = t.important + ${values.add(reports.length - others)},
    others = t.others + ${values.add(others)}`;
  return { set, count, bytes };
}

/**
 * Inserts the reports with the ids after `room.base`. All envelopes are one value: in an array each
 * would be written as hexadecimal text.
 */
function insertInto(
  tables: Tables,
  reports: NewReport[],
  { now, server }: AppendContext,
  values: Placeholders,
): string {
  let end = 1;
  const starts = reports.map(({ envelope }) => {
    const start = end;
    end += envelope.length;
    return start;
  });
  const envelopes = values.add(Buffer.concat(reports.map(({ envelope }) => envelope)));
  const list = (type: string, each: (report: NewReport, i: number) => unknown) =>
    `${values.add(reports.map(each))}::${type}[]`;
  const columns = [
    list("int", (_, i) => starts[i]),
    list("int", ({ envelope }) => envelope.length),
    list("text", ({ origin }) => origin),
    list("int", ({ categories }) => categories),
    list("bool", ({ priority }) => priority === "low"),
    list("text", ({ clientAddress }) => clientAddress ?? null),
    list("bigint", ({ sender }) => sender),
  ];
  return `insert into ${tables.reports} (id, received_at, server, origin, categories, expendable,
      client_address, sender, size, envelope)
    select room.base + new.number, ${nowMs(values.add(now ?? null))}, ${values.add(server)},
      new.origin, new.categories, new.expendable, new.client_address, new.sender,
      new.length + ${rowOverheadBytes},
      substring(${envelopes}::bytea from new.start for new.length)
    from room, unnest(${columns.join(", ")}) with ordinality
      as new(start, length, origin, categories, expendable, client_address, sender, number)`;
}
