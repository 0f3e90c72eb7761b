import {
  type DropReason,
  type Drops,
  dropsOf,
  keyOf,
  maxDropQuantity,
  summed,
} from "../envelope/client-report.ts";
import { insertAll, type Statement } from "./driver.ts";
import type { StoredReport } from "./reports.ts";
import type { Store } from "./store.ts";

/** Of one transaction: each report can have megabytes. */
const batch = { reports: 500, bytes: 4 * 1024 * 1024 };

/** Which reports are dropped: those that nobody has claimed, the oldest first. */
export interface Droppable {
  /** SQL, with the parameters `$1` and so on. */
  where: string;
  values?: readonly number[];
  reason: DropReason;
}

interface Dropped extends Pick<StoredReport, "envelope"> {
  sender: number;
  /** See `sizeOf`. */
  size: number;
}

/** Drops about so many bytes of reports, and counts what was in them. @returns what was dropped, if anything */
export async function dropSome(
  { driver, health, now: clock }: Store,
  { where, values = [], reason }: Droppable,
  maxBytes = batch.bytes,
): Promise<readonly Dropped[]> {
  const now = clock();
  const [dropped = []] = await driver.transaction([
    {
      text: `with oldest as materialized (
          select id, received_at, size from {outbox}
          where ${where} and (claimed_by is null or free_at <= ${now})
          order by received_at, id limit ${batch.reports} ${driver.dialect.skipLocked}
        ), summed as (
          select id, sum(size) over (order by received_at, id) - size as before from oldest
        )
        delete from {outbox} where id in (
          select id from summed where before < ${Math.min(maxBytes, batch.bytes)})
        returning sender, size, envelope`,
      values,
    },
  ]);
  const reports = dropped as unknown as Dropped[];
  const drops = reports.flatMap((one) => dropsOf(reason, one.envelope));
  if (drops.length > 0) {
    await driver.transaction(countDrops(drops)).catch((error) => {
      // They are gone all the same.
      health.setAside("What was dropped can't be counted.", error);
    });
  }
  return reports;
}

/** Statements that add to what was dropped; sums stop at `maxDropQuantity`. */
export function countDrops(drops: readonly Drops[]): Statement[] {
  const countable = summed(drops.filter(({ quantity }) => quantity > 0))
    .map((drop) => ({ ...drop, quantity: Math.min(drop.quantity, maxDropQuantity) }))
    // Two transactions must lock rows in one order.
    .sort((a, b) => keyOf(a).localeCompare(keyOf(b)));
  return insertAll(
    "drops",
    countable,
    `on conflict (reason, category) do update set quantity =
      case when {drops}.quantity > ${maxDropQuantity} - excluded.quantity then ${maxDropQuantity}
        else {drops}.quantity + excluded.quantity end`,
  );
}
