import type Database from "better-sqlite3";
import { type Category, type CategorySet, internalOnly } from "@/lib/envelope/categories";
import {
  clientReport,
  contentsOf,
  type DropReason,
  type Drops,
} from "@/lib/envelope/client-report";
import {
  type ClaimedReport,
  type Origin,
  type OutboxBounds,
  OutboxError,
  type StoredReport,
} from "../outbox";

/** The index makes it possible to count reports, and to skip categories, without reading envelopes. */
export const schema = `
  CREATE TABLE IF NOT EXISTS reports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    received_at INTEGER NOT NULL,
    origin TEXT NOT NULL,
    categories INTEGER NOT NULL,
    client_address TEXT,
    envelope BLOB NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS reports_waiting ON reports (id, categories);
  CREATE TABLE IF NOT EXISTS drops (
    reason TEXT NOT NULL,
    category TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    reported INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (reason, category)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS notes (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

export interface NewReport {
  receivedAt: number;
  origin: Origin;
  categories: CategorySet;
  clientAddress: string | undefined;
  envelope: Uint8Array;
}

export type DeliverableReport = Omit<ClaimedReport, "failures">;

interface DeliverableRow extends Omit<DeliverableReport, "clientAddress"> {
  clientAddress: string | null;
}

/** Approximate size of a row without its envelope. */
const rowOverheadBytes = 128;
/** How many reports one transaction checks for their age. */
const expiryBatch = 200;

const noDrops: readonly Drops[] = [];

/**
 * The SQL statements on one open database. Statements that write must run in `transaction`; those
 * that drop reports return what they dropped.
 */
export class ReportTable {
  readonly #begin;
  readonly #commit;
  readonly #insert;
  readonly #delete;
  readonly #deliverable;
  readonly #list;
  readonly #oldest;
  readonly #count;
  readonly #pages;
  readonly #freePages;
  readonly #pageSize: number;
  readonly #addDrops;
  readonly #note;
  readonly #setNote;

  constructor(
    readonly db: Database.Database,
    private readonly bounds: OutboxBounds,
  ) {
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
    this.#insert = db.prepare<[number, Origin, CategorySet, string | null, Uint8Array]>(
      "INSERT INTO reports (received_at, origin, categories, client_address, envelope) VALUES (?, ?, ?, ?, ?)",
    );
    this.#delete = db.prepare<[number]>("DELETE FROM reports WHERE id = ?");
    this.#deliverable = db.prepare<[number, CategorySet, number], DeliverableRow>(
      `SELECT id, received_at AS receivedAt, origin, envelope, categories, client_address AS clientAddress
       FROM reports WHERE id IN (
         SELECT id FROM reports INDEXED BY reports_waiting
         WHERE id > ? AND categories & ? = 0 ORDER BY id LIMIT ?
       ) ORDER BY id`,
    );
    this.#list = db.prepare<[number, number], StoredReport>(
      "SELECT id, received_at AS receivedAt, origin, envelope FROM reports WHERE id > ? ORDER BY id LIMIT ?",
    );
    this.#oldest = db.prepare<[], { id: number; receivedAt: number }>(
      "SELECT id, received_at AS receivedAt FROM reports ORDER BY id LIMIT 1",
    );
    this.#count = db
      .prepare<[], number>("SELECT count(*) FROM reports INDEXED BY reports_waiting")
      .pluck();
    this.#pages = db.prepare<[], number>("PRAGMA page_count").pluck();
    this.#freePages = db.prepare<[], number>("PRAGMA freelist_count").pluck();
    this.#pageSize = db.pragma("page_size", { simple: true }) as number;
    this.#addDrops = db.prepare<[DropReason, Category, number]>(
      `INSERT INTO drops (reason, category, quantity) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET quantity = quantity + excluded.quantity`,
    );
    this.#note = db.prepare<[string], string>("SELECT value FROM notes WHERE name = ?").pluck();
    this.#setNote = db.prepare<[string, string]>(
      "INSERT INTO notes (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
    );
  }

  /** Rolls everything back if `run` throws. */
  transaction<T>(run: (table: ReportTable) => T): T {
    try {
      this.#begin.run();
      const result = run(this);
      this.#commit.run();
      return result;
    } catch (error) {
      if (this.db.open && this.db.inTransaction) this.db.exec("ROLLBACK");
      throw error;
    }
  }

  /** @throws {OutboxError} `full` */
  append(report: NewReport): readonly Drops[] {
    const { receivedAt, origin, categories, clientAddress, envelope } = report;
    const madeRoom = this.#makeRoom(envelope.length + rowOverheadBytes);
    this.#insert.run(receivedAt, origin, categories, clientAddress ?? null, envelope);
    const trimmed = this.#trim();
    if (trimmed.length === 0) return madeRoom;
    return [...madeRoom, ...trimmed];
  }

  delete(id: number): void {
    this.#delete.run(id);
  }

  drop(id: number, reason: DropReason): readonly Drops[] {
    const [report] = this.#list.all(id - 1, 1);
    return report?.id === id ? this.#drop([report], reason) : noDrops;
  }

  countDrops(drops: readonly Drops[]): void {
    for (const { reason, category, quantity } of drops) {
      this.#addDrops.run(reason, category, quantity);
    }
  }

  /**
   * Drops a batch of the reports that arrived before `time`.
   *
   * @returns undefined if there are none
   */
  expire(
    time: number,
    reasonFor: (report: DeliverableReport) => DropReason,
  ): readonly Drops[] | undefined {
    const old = this.#deliverable.all(0, 0, expiryBatch).map(toReport);
    const expired = old.filter(({ receivedAt }) => receivedAt < time);
    if (expired.length === 0) return undefined;
    return expired.flatMap((report) => this.#drop([report], reasonFor(report)));
  }

  /** Adds a client report about the drops that no earlier one has covered. */
  reportDrops(now: number): void {
    const drops = this.db
      .prepare<[], Drops>(
        "SELECT reason, category, quantity - reported AS quantity FROM drops WHERE quantity > reported",
      )
      .all();
    if (drops.length === 0) return;
    this.#insert.run(now, "server", internalOnly, null, clientReport(drops, now));
    this.db.prepare("UPDATE drops SET reported = quantity").run();
  }

  /** Reports with ids greater than `after` and none of the categories in `without`. */
  deliverable(after: number, without: CategorySet, limit: number): DeliverableReport[] {
    return this.#deliverable.all(after, without, limit).map(toReport);
  }

  list({ after, limit }: { after: number; limit: number }): StoredReport[] {
    return this.#list.all(after, limit);
  }

  oldest(): { id: number; receivedAt: number } | undefined {
    return this.#oldest.get();
  }

  count(): number {
    return this.#count.get() ?? 0;
  }

  drops(): Drops[] {
    return this.db.prepare<[], Drops>("SELECT reason, category, quantity FROM drops").all();
  }

  note(name: string): string | undefined {
    return this.#note.get(name);
  }

  setNote(name: string, value: string): void {
    this.#setNote.run(name, value);
  }

  #drop(reports: StoredReport[], reason: DropReason): Drops[] {
    const quantities = new Map<Category, number>();
    for (const report of reports) {
      for (const [category, quantity] of contentsOf(report.envelope)) {
        quantities.set(category, (quantities.get(category) ?? 0) + quantity);
      }
      this.#delete.run(report.id);
    }
    const drops = [...quantities].map(([category, quantity]) => ({ reason, category, quantity }));
    this.countDrops(drops);
    return drops;
  }

  /** Drops the oldest reports until a new one of so many bytes fits. */
  #makeRoom(bytes: number): readonly Drops[] {
    const { maxBytes, whenFull } = this.bounds;
    if (this.#usedBytes() + bytes <= maxBytes) return noDrops;
    const drops: Drops[] = [];
    const mayDrop = whenFull === "drop-oldest" && bytes <= maxBytes;
    do {
      const [oldest] = mayDrop ? this.#list.all(0, 1) : [];
      if (!oldest) throw new OutboxError("full", `The outbox holds its ${maxBytes} bytes.`);
      drops.push(...this.#drop([oldest], "cache_overflow"));
    } while (this.#usedBytes() + bytes > maxBytes);
    return drops;
  }

  /** Drops the oldest reports beyond the maximum number. */
  #trim(): readonly Drops[] {
    const { maxReports } = this.bounds;
    if (maxReports === undefined) return noDrops;
    const excess = this.count() - maxReports;
    return excess > 0 ? this.#drop(this.#list.all(0, excess), "cache_overflow") : noDrops;
  }

  /** Free pages don't count: SQLite fills them first. */
  #usedBytes(): number {
    return ((this.#pages.get() ?? 0) - (this.#freePages.get() ?? 0)) * this.#pageSize;
  }
}

function toReport(row: DeliverableRow): DeliverableReport {
  return { ...row, clientAddress: row.clientAddress ?? undefined };
}
