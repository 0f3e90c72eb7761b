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

/** Without a bound by number. */
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
  const [room] = await database.query(
    `with ${settings}, room as (
       update ${tables.totals} as t set ${addedTotals}
       from settings, ${tables.totals} as gone
       where t.side = 'in' and gone.side = 'out' and settings.applied is not null
         and t.bytes - gone.bytes + $14 <= $15
         and t.important + t.others - gone.important - gone.others + $11 <= $16
       returning t.last_id - $11 as base
     ), inserted as (${insertInto(tables)})
     select base from room`,
    [...insertValues(reports, context), maxBytes, maxReports],
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
  await query(
    `with room as (
       update ${tables.totals} as t set ${addedTotals}
       where t.side = 'in' returning t.last_id - $11 as base
     ) ${insertInto(tables)}`,
    insertValues(reports, context),
  );
}

const addedTotals = `last_id = t.last_id + $11, important = t.important + $12,
  others = t.others + $13, bytes = t.bytes + $14`;

/** All envelopes are one parameter: in an array each would be written as hexadecimal text. */
function insertInto({ reports }: Tables): string {
  return `insert into ${reports} (id, received_at, server, origin, categories, expendable,
      client_address, sender, size, envelope)
    select room.base + new.number, ${nowMs("$1")}, $2, new.origin, new.categories, new.expendable,
      new.client_address, new.sender, new.length + ${rowOverheadBytes},
      substring($3::bytea from new.start for new.length)
    from room, unnest($4::int[], $5::int[], $6::text[], $7::int[], $8::bool[], $9::text[],
        $10::bigint[]) with ordinality
      as new(start, length, origin, categories, expendable, client_address, sender, number)`;
}

/** The values of `insertInto`, $1 to $10, and of `addedTotals`, $11 to $14. */
function insertValues(reports: NewReport[], { now, server }: AppendContext): unknown[] {
  let end = 1;
  const starts = reports.map(({ envelope }) => {
    const start = end;
    end += envelope.length;
    return start;
  });
  const isLow = reports.map(({ priority }) => priority === "low");
  const others = isLow.filter(Boolean).length;
  return [
    now ?? null,
    server,
    Buffer.concat(reports.map(({ envelope }) => envelope)),
    starts,
    reports.map(({ envelope }) => envelope.length),
    reports.map(({ origin }) => origin),
    reports.map(({ categories }) => categories),
    isLow,
    reports.map(({ clientAddress }) => clientAddress ?? null),
    reports.map(({ sender }) => sender),
    reports.length,
    reports.length - others,
    others,
    reports.reduce((sum, report) => sum + sizeOf(report), 0),
  ];
}
