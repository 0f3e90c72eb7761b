import type Database from "better-sqlite3";
import { type CategorySet, priorityOf } from "@/lib/envelope/categories";
import {
  recentUsages,
  rowOverheadBytes,
  serverSender,
  sizeOf,
  type Unit,
  type Usage,
  type Usages,
  type Victims,
} from "../eviction";
import type { OutboxBounds } from "../outbox";
import { isLow } from "./schema";

/** A new report, as far as the search needs to know it. */
interface Arrival {
  categories: CategorySet;
  sender: number;
  envelope: Uint8Array;
}

interface Victim {
  id: number;
  bytes: number;
}

/** Finds the reports that make room at the bounds of one open database, as `victimsFor` says. */
export class VictimSearch {
  readonly #victim;
  readonly #newestId;
  readonly #usages: Usages;
  /**
   * Up to which ids no victims are left, by what was looked for. New reports have greater ids, so these
   * stay right until a rollback brings reports back: see `forget`.
   */
  readonly #cursors = new Map<string, number>();

  constructor(
    private readonly db: Database.Database,
    bounds: OutboxBounds,
  ) {
    this.#usages = recentUsages(bounds);
    this.#newestId = db.prepare<[], number | null>("SELECT max(id) FROM reports").pluck();
    this.#victim = db.prepare<(number | null)[], Victim>(
      `SELECT id, length(envelope) + ${rowOverheadBytes} AS bytes
       FROM reports INDEXED BY reports_waiting
       WHERE ${isLow} = ? AND id > ? AND (? IS NULL OR sender = ?)
         AND (? IS NULL OR sender <> ?) ORDER BY id LIMIT 1`,
    );
  }

  /**
   * @param unit of the bound that was reached
   * @returns the id of the report that is first to make room for a new one; none if the new one is
   *   worth less
   */
  find({ sender, categories, envelope }: Arrival, unit: Unit): number | undefined {
    const recent = this.#usages[unit];
    const usage = recent.get() ?? recent.set(this.#usage(unit));
    const report = { sender, priority: priorityOf(categories) };
    for (const wanted of recent.victimsFor(report, usage)) {
      const key = JSON.stringify(wanted);
      const victim = this.#oldest(wanted, this.#cursors.get(key) ?? 0);
      // Where there is none, the next look begins behind all that were looked at.
      this.#cursors.set(key, victim ? victim.id - 1 : (this.#newestId.get() ?? 0));
      if (!victim) continue;
      recent.spend(victim.bytes);
      return victim.id;
    }
    recent.spend(sizeOf({ envelope }));
    return undefined;
  }

  /** What was evicted in a transaction that was undone is there again: the next search starts over. */
  forget(): void {
    this.#usages.bytes.forget();
    this.#usages.reports.forget();
  }

  #oldest({ priority, of, notOf }: Victims, after: number): Victim | undefined {
    const low = priority === "low" ? 1 : 0;
    return this.#victim.get(low, after, of ?? null, of ?? null, notOf ?? null, notOf ?? null);
  }

  /** Looks at each entry of the index. */
  #usage(unit: Unit): Usage {
    this.#cursors.clear();
    const amount = unit === "bytes" ? `sum(length(envelope) + ${rowOverheadBytes})` : "count(*)";
    const largest = this.db
      .prepare<[], { sender: number; amount: number }>(
        `SELECT sender, ${amount} AS amount FROM reports INDEXED BY reports_waiting
         WHERE sender > ${serverSender} GROUP BY sender ORDER BY amount DESC LIMIT 1`,
      )
      .get();
    const server = this.db
      .prepare<[], number | null>(
        `SELECT ${amount} FROM reports INDEXED BY reports_waiting
         WHERE ${isLow} = 0 AND sender = ${serverSender}`,
      )
      .pluck()
      .get();
    return { largest, server: server ?? 0 };
  }
}
