import type Database from "better-sqlite3";
import type { Category, CategorySet, Priority } from "@/lib/envelope/categories";
import {
  type DropReason,
  type Drops,
  dropsOf,
  maxDropQuantity,
} from "@/lib/envelope/client-report";
import { summed } from "../drop-log";
import { refusalOf, rowOverheadBytes, sizeOf, type Unit } from "../eviction";
import {
  type ClaimedReport,
  isOutboxError,
  type Origin,
  type OutboxBounds,
  OutboxError,
  type StoredReport,
} from "../outbox";
import {
  clientReportOf,
  type Droppable,
  dropBatch,
  dropBatchBytes,
  type NewReport,
  type Oldest,
  probeReport,
  type ReasonFor,
  type Totals,
} from "../store";
import { type Counted, ReportCounts } from "./report-counts";
import { isLow } from "./schema";
import { isDataFault } from "./sqlite-faults";
import { VictimSearch } from "./victim-search";

export interface ArrivedReport extends Omit<NewReport, "priority"> {
  receivedAt: number;
}

/** What is known of a report without reading it. */
export interface ReportHead {
  id: number;
  sender: number;
}

export type DeliverableReport = Omit<ClaimedReport, "failures">;

interface DeliverableRow extends Omit<DeliverableReport, "clientAddress"> {
  clientAddress: string | null;
}

export const storedColumns = "id, received_at AS receivedAt, origin, categories, envelope";
const deliverableColumns = `${storedColumns}, client_address AS clientAddress, sender`;

/** What the tables for rows take of the file while they are empty. */
const emptyTablesBytes = 112 * 1024;

const overflow = "cache_overflow";
const noDrops: readonly Drops[] = [];
/** Thrown to undo a rehearsal that has succeeded. */
const rehearsed = new Error("rehearsed");

/** As the index has it. */
const low: Record<Priority, number> = { high: 0, low: 1 };

/**
 * The SQL statements on one open database. Statements that write must run in `transaction`; those
 * that drop reports return what they dropped.
 */
export class ReportTable {
  readonly #begin;
  readonly #commit;
  readonly #insert;
  readonly #delete;
  readonly #waiting;
  readonly #newestWaiting;
  readonly #deliverableById;
  readonly #has;
  readonly #oldestId;
  readonly #newestId;
  readonly #oldestArrived;
  readonly #unwanted;
  readonly #oldestOf;
  readonly #counts: ReportCounts;
  readonly #pages;
  readonly #freePages;
  readonly #pageSize: number;
  readonly #addDrops;
  readonly #victims: VictimSearch;

  constructor(
    readonly db: Database.Database,
    private readonly bounds: OutboxBounds,
  ) {
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
    this.#insert = db.prepare<[number, Origin, CategorySet, number, string | null, Uint8Array]>(
      `INSERT INTO reports (received_at, origin, categories, sender, client_address, envelope)
       VALUES (?, ?, ?, ?, ?, ?)`,
    );
    this.#delete = db.prepare<[number], Counted>(
      "DELETE FROM reports WHERE id = ? RETURNING categories, length(envelope) AS bytes",
    );
    const waiting = `SELECT id, sender FROM reports INDEXED BY reports_waiting
      WHERE ${isLow} = ? AND id > ? AND categories & ? = 0 ORDER BY id`;
    this.#waiting = db.prepare<[number, number, CategorySet], ReportHead>(waiting);
    this.#newestWaiting = db.prepare<[number, number, CategorySet], ReportHead>(`${waiting} DESC`);
    this.#has = db.prepare<[number], number>("SELECT 1 FROM reports WHERE id = ?").pluck();
    this.#oldestId = db.prepare<[], number | null>("SELECT min(id) FROM reports").pluck();
    this.#newestId = db.prepare<[], number | null>("SELECT max(id) FROM reports").pluck();
    this.#deliverableById = db.prepare<[number], DeliverableRow>(
      `SELECT ${deliverableColumns} FROM reports WHERE id = ?`,
    );
    // Without their envelopes: every minute looks at these rows, and most of them stay.
    this.#oldestArrived = db.prepare<[number], { id: number; receivedAt: number }>(
      "SELECT id, received_at AS receivedAt FROM reports ORDER BY id LIMIT ?",
    );
    this.#unwanted = db
      .prepare<[CategorySet, CategorySet, number], number>(
        `SELECT id FROM reports INDEXED BY reports_waiting
         WHERE ${isLow} = 1 AND categories & ? = 0 AND categories & ? <> 0 LIMIT ?`,
      )
      .pluck();
    this.#oldestOf = db.prepare<[number], Oldest>(
      `SELECT id, received_at AS receivedAt FROM reports INDEXED BY reports_waiting
       WHERE ${isLow} = ? ORDER BY id LIMIT 1`,
    );
    this.#counts = new ReportCounts(db);
    this.#pages = db.prepare<[], number>("PRAGMA page_count").pluck();
    this.#freePages = db.prepare<[], number>("PRAGMA freelist_count").pluck();
    this.#pageSize = db.pragma("page_size", { simple: true }) as number;
    this.#addDrops = db.prepare<[DropReason, Category, number]>(
      `INSERT INTO drops (reason, category, quantity) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET quantity = min(quantity + excluded.quantity, ${maxDropQuantity})`,
    );
    this.#victims = new VictimSearch(db, bounds);
  }

  /** Rolls everything back if `run` throws. */
  transaction<T>(run: (table: ReportTable) => T): T {
    try {
      this.#begin.run();
      const result = run(this);
      this.#commit.run();
      return result;
    } catch (error) {
      this.#forgetCounts();
      if (this.db.open && this.db.inTransaction) this.db.exec("ROLLBACK");
      throw error;
    }
  }

  #forgetCounts(): void {
    this.#counts.forget();
    this.#victims.forget();
  }

  /** Undoes what `run` has written, and nothing else, if it throws. Must run in a transaction. */
  savepoint(run: () => void): void {
    this.db.exec("SAVEPOINT one");
    try {
      run();
    } catch (error) {
      this.#forgetCounts();
      // After some errors SQLite has rolled everything back by itself.
      if (this.db.inTransaction) this.db.exec("ROLLBACK TO one");
      throw error;
    } finally {
      if (this.db.inTransaction) this.db.exec("RELEASE one");
    }
  }

  /** @throws {OutboxError} `full` */
  append(report: ArrivedReport): readonly Drops[] {
    const lost: Drops[] = [];
    try {
      if (this.#makeRoom(report, lost)) {
        this.#add(report);
        this.#trim(report, lost);
      } else lost.push(...dropsOf(overflow, report.envelope));
    } finally {
      // Together, as one large report may evict thousands. What was evicted stays so if the report is
      // refused after all.
      this.countDrops(summed(lost));
    }
    return summed(lost);
  }

  /**
   * Does all that `append` does for an ordinary error, and undoes it. Must run in a transaction.
   *
   * @throws {OutboxError} if no report can be stored, but not for want of room
   */
  rehearseAppend(envelope = Buffer.from("{}")): void {
    const report = { receivedAt: 0, ...probeReport(envelope) };
    try {
      this.savepoint(() => {
        this.append(report);
        throw rehearsed;
      });
    } catch (cause) {
      if (cause === rehearsed || (isOutboxError(cause) && cause.fault === "full")) return;
      if (!isDataFault(cause)) throw cause;
      throw new OutboxError("unwritable", "The outbox refuses every report.", { cause });
    }
  }

  delete(id: number): void {
    const deleted = this.#delete.get(id);
    if (deleted) this.#counts.add(deleted, -1);
  }

  drop(id: number, reason: DropReason): readonly Drops[] {
    const report = this.#deliverableById.get(id);
    return report ? this.#drop(report, reason) : noDrops;
  }

  /** Sums stop at `maxDropQuantity`. What can't be counted does not prevent that it is dropped. */
  countDrops(drops: readonly Drops[]): void {
    for (const { reason, category, quantity } of drops) {
      try {
        this.#addDrops.run(reason, category, quantity);
      } catch (error) {
        // The log has it all the same: the caller returns the drops.
        if (!isDataFault(error)) throw error;
      }
    }
  }

  /**
   * Drops a batch of the reports that arrived before `time`.
   *
   * @returns undefined if there are none
   */
  expire(
    time: number,
    reasonFor: (report: StoredReport) => DropReason,
  ): readonly Drops[] | undefined {
    const old = this.#oldestArrived.all(dropBatch);
    const expired = old.filter(({ receivedAt }) => receivedAt < time);
    return this.#dropSome(
      expired.map(({ id }) => id),
      reasonFor,
    );
  }

  /**
   * Drops a batch of the reports of low priority with these categories.
   *
   * @returns undefined if there are none
   */
  dropUnwanted(
    { without, withOneOf }: Exclude<Droppable, "old">,
    reasonFor: ReasonFor,
  ): readonly Drops[] | undefined {
    return this.#dropSome(this.#unwanted.all(without, withOneOf, dropBatch), reasonFor);
  }

  /**
   * Drops reports one by one, until their size is that of a batch: each can have megabytes.
   *
   * @returns undefined if there are none
   */
  #dropSome(
    ids: number[],
    reasonFor: (report: StoredReport) => DropReason,
  ): readonly Drops[] | undefined {
    if (ids.length === 0) return undefined;
    const drops: Drops[] = [];
    let bytes = 0;
    for (const id of ids) {
      const report = this.#deliverableById.get(id);
      if (report) drops.push(...this.#drop(report, reasonFor(report)));
      bytes += report?.envelope.length ?? 0;
      if (bytes >= dropBatchBytes) break;
    }
    return drops;
  }

  /** Adds a client report about the drops that no earlier one has covered. */
  reportDrops(now: number): void {
    const drops = this.db
      .prepare<[], Drops>(
        "SELECT reason, category, quantity - reported AS quantity FROM drops WHERE quantity > reported",
      )
      .all();
    if (drops.length === 0) return;
    this.#add({ receivedAt: now, ...clientReportOf(drops, now) });
    this.db.prepare("UPDATE drops SET reported = quantity").run();
  }

  /** Reports of one priority with ids greater than `after`, without some categories. */
  waiting(
    priority: Priority,
    range: { after: number; without: CategorySet; newestFirst: boolean },
  ): IterableIterator<ReportHead> {
    const { after, without, newestFirst } = range;
    const found = newestFirst ? this.#newestWaiting : this.#waiting;
    return found.iterate(low[priority], after, without);
  }

  /** 0 if there is no report. */
  newestId(): number {
    return this.#newestId.get() ?? 0;
  }

  has(id: number): boolean {
    return this.#has.get(id) !== undefined;
  }

  deliverableById(id: number): DeliverableReport | undefined {
    const row = this.#deliverableById.get(id);
    return row && toReport(row);
  }

  totals(): Omit<Totals, "now"> {
    return {
      waiting: this.count(),
      highWaiting: this.#counts.get("high"),
      high: this.#oldestOf.get(low.high) ?? null,
      low: this.#oldestOf.get(low.low) ?? null,
    };
  }

  count(): number {
    return this.#counts.get("reports");
  }

  #add({ receivedAt, origin, categories, sender, clientAddress, envelope }: ArrivedReport): void {
    this.#insert.run(receivedAt, origin, categories, sender, clientAddress ?? null, envelope);
    this.#counts.add({ categories, bytes: envelope.length }, 1);
  }

  #drop({ id, envelope }: StoredReport, reason: DropReason): Drops[] {
    this.delete(id);
    const drops = dropsOf(reason, envelope);
    this.countDrops(drops);
    return drops;
  }

  /**
   * Evicts the report that is first to make room for a new one.
   *
   * @param lost gets what is to be counted as dropped
   * @returns false if there is none
   */
  #evictFor(report: ArrivedReport, unit: Unit, lost: Drops[]): boolean {
    const id = this.#victims.find(report, unit);
    const victim = id === undefined ? undefined : this.deliverableById(id);
    if (!victim) return false;
    this.delete(victim.id);
    lost.push(...dropsOf(overflow, victim.envelope));
    return true;
  }

  /**
   * Evicts reports until a new one fits.
   *
   * @param lost as for `#evictFor`
   * @returns false if the new one is to be dropped itself
   * @throws {OutboxError} `full`, if the new one is to be refused
   */
  #makeRoom(report: ArrivedReport, lost: Drops[]): boolean {
    const size = sizeOf(report);
    while (!this.#fits(size)) {
      const fitsAlone = size <= this.bounds.maxBytes;
      if (fitsAlone && this.#evictFor(report, "bytes", lost)) continue;
      const refusal = refusalOf(size, this.bounds);
      if (refusal) throw refusal;
      return false;
    }
    return true;
  }

  /** Evicts reports beyond the maximum number, after one was added. `lost` as for `#evictFor`. */
  #trim(added: ArrivedReport, lost: Drops[]): void {
    const { maxReports } = this.bounds;
    if (maxReports === undefined) return;
    for (let excess = this.count() - maxReports; excess > 0; excess--) {
      this.#evictFor(added, "reports", lost);
    }
  }

  /** What the reports count must be within the bound, and the file too, with the room for rows. */
  #fits(bytes: number): boolean {
    const { maxBytes, maxRowBytes = emptyTablesBytes } = this.bounds;
    const left = maxBytes - this.#usedBytes() - bytes;
    if (left + maxRowBytes < 0) return false;
    // Mostly there are so few ids that nothing needs to be counted.
    const oldest = this.#oldestId.get() ?? 0;
    if ((this.newestId() - oldest + 1) * rowOverheadBytes <= left) return true;
    return this.#counts.get("bytes") + bytes <= maxBytes;
  }

  /** Free pages don't count: SQLite fills them first. */
  #usedBytes(): number {
    return ((this.#pages.get() ?? 0) - (this.#freePages.get() ?? 0)) * this.#pageSize;
  }
}

function toReport(row: DeliverableRow): DeliverableReport {
  return { ...row, clientAddress: row.clientAddress ?? undefined };
}
