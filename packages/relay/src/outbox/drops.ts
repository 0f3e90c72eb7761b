import { randomUUID } from "node:crypto";
import {
  type DropReason,
  type Drops,
  dropsOf,
  keyOf,
  maxDropQuantity,
  summed,
} from "../envelope/client-report.ts";
import { type Dialect, type Driver, insertAll, type Statement } from "./driver.ts";
import type { ReportRow, StoredReport } from "./reports.ts";
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

/**
 * Drops a batch of reports, and counts what was in them.
 *
 * @param maxBytes about how many bytes to drop
 * @returns what was dropped; nothing if there is no such report @throws {OutboxError}
 */
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

/** Drops of which a part was not told of yet. */
interface Untold extends Drops {
  reported: number;
  /** What the note says that is written where drops are told of, if there is one. */
  token: string | null;
}

const noteName = "told-drops";

/**
 * Marks all drops as told of, and appends a report about them, both in one transaction: of several processes
 * that do so at once, one does.
 *
 * @param reportOf gives the row to append, if there is to be one
 * @returns what this process is to tell of @throws {OutboxError}
 */
export async function tellDrops(
  driver: Driver,
  reportOf: (drops: Drops[]) => ReportRow | undefined,
): Promise<Drops[]> {
  const found = await driver.read<Untold>({
    text: `select reason, category, quantity, reported,
        (select value from {notes} where name = '${noteName}') as token
      from {drops} where quantity > reported order by reason, category`,
  });
  if (found.length === 0) return [];
  const token = randomUUID();
  const isOurs = `exists (select 1 from {notes} where name = '${noteName}' and value = '${token}')`;
  const drops = found.map(({ reason, category, quantity, reported }) => {
    return { reason, category, quantity: quantity - reported };
  });
  const report = reportOf(drops);
  const [ours] = await driver.transaction([
    {
      text: `insert into {notes} as n (name, value) values ('${noteName}', '${token}')
        on conflict (name) do update set value = excluded.value where n.value = $1 returning name`,
      values: [found[0]?.token ?? ""],
    },
    ...(report ? [insertWhere(isOurs, report, driver.dialect)] : []),
    ...found.map(({ reason, category, quantity }) => ({
      text: `update {drops} set reported = $1 where reason = $2 and category = $3 and ${isOurs}`,
      values: [quantity, reason, category],
    })),
  ]);
  return ours?.length === 1 ? drops : [];
}

function insertWhere(condition: string, row: ReportRow, { types }: Dialect): Statement {
  const cells = Object.values(row).map((cell, i) => {
    const ofText = typeof cell === "string" || cell === null ? "text" : types.bytes;
    return `cast($${i + 1} as ${typeof cell === "number" ? types.integer : ofText})`;
  });
  const text = `insert into {outbox} (${Object.keys(row).join(", ")})
    select ${cells.join(", ")} where ${condition}`;
  return { text, values: Object.values(row) };
}
