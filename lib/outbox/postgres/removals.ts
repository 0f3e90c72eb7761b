import { type Drops, dropsOf, maxDropQuantity } from "@/lib/envelope/client-report";
import { dropBatchBytes, type ReasonFor } from "../store";
import type { Run } from "./database";
import { isDataFault } from "./database-faults";
import type { Tables } from "./schema";

/** Removes reports by their ids, as far as they are there. */
export async function removeReports(query: Run, tables: Tables, ids: number[]): Promise<void> {
  if (ids.length > 0) await query(removal(tables, "id = any($1)"), [ids]);
}

/** A statement that removes reports and counts them as gone. It returns nothing. */
export function removal({ reports, totals }: Tables, condition: string): string {
  return `with gone as (delete from ${reports} where ${condition} returning expendable, size)
    update ${totals} as t set important = t.important + sums.important,
      others = t.others + sums.others, bytes = t.bytes + sums.bytes
    from (select count(*) filter (where not expendable) as important,
      count(*) filter (where expendable) as others, sum(size) as bytes from gone) as sums
    where t.side = 'out' and sums.bytes is not null`;
}

/** A report whose drop is to be counted. */
export interface DroppedReport {
  id: number;
  categories: number;
  envelope: Uint8Array;
}

/**
 * A statement that locks the oldest reports which match, and reads as many as one batch may have:
 * each can have megabytes. What another server has locked is passed over.
 *
 * @param condition with the parameters of the caller
 */
export function someReports({ reports }: Tables, condition: string, limit: number): string {
  return `with few as (
      select id, size from ${reports} where ${condition} order by id limit ${limit}
      for update skip locked
    ), summed as (select id, sum(size) over (order by id) - size as before from few)
    select r.id, r.categories, case when r.expendable then 'low' else 'high' end as priority, r.sender, r.envelope
    from ${reports} as r join summed using (id) where summed.before < ${dropBatchBytes} order by r.id`;
}

/** Removes the reports and counts them as dropped. @returns what was dropped */
export async function dropReports(
  query: Run,
  tables: Tables,
  dropped: DroppedReport[],
  reasonFor: ReasonFor,
): Promise<Drops[]> {
  const drops = dropped.flatMap((report) => dropsOf(reasonFor(report), report.envelope));
  await removeReports(
    query,
    tables,
    dropped.map(({ id }) => id),
  );
  await countDrops(query, tables, drops);
  return drops;
}

/** Sums stop at `maxDropQuantity`. What can't be counted does not prevent that it is dropped. */
export async function countDrops(query: Run, tables: Tables, drops: Drops[]): Promise<void> {
  if (drops.length === 0) return;
  await query("savepoint counting");
  try {
    await addDrops(query, tables, drops);
  } catch (error) {
    // The log has it all the same: the caller logs the drops.
    if (!isDataFault(error)) throw error;
    await query("rollback to savepoint counting");
  }
}

async function addDrops(query: Run, tables: Tables, drops: Drops[]): Promise<void> {
  // One statement may not change a row twice, and two transactions must lock rows in one order.
  await query(
    `insert into ${tables.drops} as d (reason, category, quantity)
     select reason, category, least(sum(quantity), ${maxDropQuantity})
     from unnest($1::text[], $2::text[], $3::bigint[]) as new(reason, category, quantity)
     group by reason, category order by reason, category
     on conflict (reason, category) do update
       set quantity = least(d.quantity::numeric + excluded.quantity, ${maxDropQuantity})`,
    [
      drops.map(({ reason }) => reason),
      drops.map(({ category }) => category),
      drops.map(({ quantity }) => quantity),
    ],
  );
}
