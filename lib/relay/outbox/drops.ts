import {
  type DropReason,
  type Drops,
  dropsOf,
  maxDropQuantity,
} from "@/lib/relay/envelope/client-report";
import { type Driver, insertAll, type Statement } from "./driver";
import type { Log, StoredReport } from "./outbox";

/** Of one transaction: each report can have megabytes. */
const batch = { reports: 200, bytes: 4 * 1024 * 1024 };
const logMs = 60_000;

/** Which reports are dropped: those that nobody has claimed, the oldest first. */
export interface Droppable {
  /** SQL, with the parameters `$1` and so on. */
  where: string;
  values: readonly number[];
  reason(report: Dropped): DropReason;
}

type Dropped = Pick<StoredReport, "categories" | "envelope">;

/**
 * Drops a batch of reports, and counts them.
 *
 * @param now the store's clock, as SQL
 * @param maxBytes about how many bytes to drop
 * @returns how many reports, and what was in them @throws {OutboxError}
 */
export async function dropSome(
  driver: Driver,
  { where, values, reason }: Droppable,
  now: string,
  maxBytes = batch.bytes,
): Promise<{ reports: number; drops: Drops[] }> {
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
        returning categories, envelope`,
      values,
    },
  ]);
  const drops = (dropped as unknown as Dropped[]).flatMap((one) =>
    dropsOf(reason(one), one.envelope),
  );
  // They are gone: the caller logs them, even if they can't be counted.
  if (drops.length > 0) await driver.transaction(countDrops(drops)).catch(() => {});
  return { reports: dropped.length, drops };
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

/** Marks all drops as reported that are not. @returns those that no other process has marked meanwhile */
export async function takeUnreported(driver: Driver): Promise<Drops[]> {
  const open = await driver.read<Drops & { reported: number }>({
    text: `select reason, category, quantity, reported from {drops} where quantity > reported
      order by reason, category`,
  });
  const marked = await driver.transaction(
    open.map(({ reason, category, quantity, reported }) => ({
      text: `update {drops} set reported = $1
        where reason = $2 and category = $3 and reported = $4 returning reason`,
      values: [quantity, reason, category, reported],
    })),
  );
  return open
    .filter((_, i) => marked[i]?.length === 1)
    .map(({ reported, ...drop }) => ({ ...drop, quantity: drop.quantity - reported }));
}

/** @returns one entry for each reason and category */
export function summed(drops: readonly Drops[]): Drops[] {
  const sums = new Map<string, Drops>();
  for (const drop of drops) {
    const quantity = (sums.get(keyOf(drop))?.quantity ?? 0) + drop.quantity;
    sums.set(keyOf(drop), { ...drop, quantity });
  }
  return [...sums.values()];
}

function keyOf({ reason, category }: Drops): string {
  return `${reason} ${category}`;
}

/** Logs dropped reports: the first at once, then sums once a minute. */
export class DropLog {
  #drops: Drops[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly log: Log) {}

  add(drops: readonly Drops[]): void {
    this.#drops = summed([...this.#drops, ...drops]);
    if (this.#drops.length > 0 && !this.#timer) this.#write();
  }

  #write(): void {
    this.#timer = undefined;
    if (this.#drops.length === 0) return;
    for (const { reason, category, quantity } of this.#drops) {
      this.log("warn", "reports dropped", { reason, category, quantity });
    }
    this.#drops = [];
    this.#timer = setTimeout(() => this.#write(), logMs);
    this.#timer.unref();
  }
}
