import type Database from "better-sqlite3";
import { type Category, type CategorySet, internalOnly } from "@/lib/envelope/categories";
import {
  clientReport,
  contentsOf,
  type DropReason,
  type Drops,
} from "@/lib/envelope/client-report";
import {
  type AppendDetails,
  type ClaimedReport,
  type ClaimRequest,
  type Origin,
  OutboxError,
  type StoredReport,
} from "./outbox";

export interface OutboxBounds {
  maxBytes: number;
  maxAgeMs: number;
  /** None: as many as fit into the bytes. */
  maxReports?: number;
  /** At a bound, either nothing new is taken, or the oldest make room. */
  whenFull: "refuse" | "drop-oldest";
}

/** What a row takes beside its envelope, about. */
const rowOverhead = 128;
/** How many reports are looked at in one step when the oldest are given up. */
const dropsAtOnce = 200;

const columns =
  "id, received_at AS receivedAt, origin, envelope, categories, client_address AS clientAddress";

/** The statements on one open database. Writing ones expect to be called in a transaction. */
export class ReportTable {
  readonly #begin;
  readonly #commit;
  readonly #insert;
  readonly #remove;
  readonly #claim;
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
    this.#remove = db.prepare<[number]>("DELETE FROM reports WHERE id = ?");
    this.#claim = db.prepare<[number, CategorySet, number], ClaimedReport>(
      `SELECT ${columns} FROM reports WHERE id IN (
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

  /** Runs all in one transaction, which is on disk afterwards, or has never been. */
  transaction(run: () => void): void {
    try {
      this.#begin.run();
      run();
      this.#commit.run();
    } catch (error) {
      if (this.db.open && this.db.inTransaction) this.db.exec("ROLLBACK");
      throw error;
    }
  }

  /**
   * @returns what was given up to make room for it
   * @throws {OutboxError} `full`
   */
  append(
    envelope: Uint8Array,
    origin: Origin,
    details: Required<Pick<AppendDetails, "categories">> & AppendDetails,
    now: number,
  ): Drops[] {
    const drops = this.#makeRoom(envelope.length + rowOverhead);
    this.#insert.run(now, origin, details.categories, details.clientAddress ?? null, envelope);
    return drops;
  }

  remove(id: number): void {
    this.#remove.run(id);
  }

  /** Takes the reports out and counts what was in them. */
  giveUp(reports: StoredReport[], reason: DropReason): Drops[] {
    const quantities = new Map<Category, number>();
    for (const report of reports) {
      for (const [category, quantity] of contentsOf(report.envelope)) {
        quantities.set(category, (quantities.get(category) ?? 0) + quantity);
      }
      this.#remove.run(report.id);
    }
    const drops = [...quantities].map(([category, quantity]) => ({ reason, category, quantity }));
    this.countDrops(drops);
    return drops;
  }

  countDrops(drops: Drops[]): void {
    for (const { reason, category, quantity } of drops) {
      this.#addDrops.run(reason, category, quantity);
    }
  }

  /** Gives up the oldest reports beyond the bound by number. */
  trim(): Drops[] {
    const { maxReports } = this.bounds;
    if (maxReports === undefined) return [];
    const excess = this.count() - maxReports;
    return excess > 0 ? this.giveUp(this.#list.all(0, excess), "cache_overflow") : [];
  }

  /**
   * Gives up some of the reports that came in before `time`.
   *
   * @returns nothing once there are none left
   */
  expire(time: number, reasonFor: (report: ClaimedReport) => DropReason): Drops[] | undefined {
    const old = this.#claim.all(0, 0, dropsAtOnce).filter((report) => report.receivedAt < time);
    if (old.length === 0) return undefined;
    return old.flatMap((report) => this.giveUp([report], reasonFor(report)));
  }

  /** Puts in a client report over the drops that none has told of yet. */
  reportDrops(now: number): boolean {
    const drops = this.db
      .prepare<[], Drops>(
        "SELECT reason, category, quantity - reported AS quantity FROM drops WHERE quantity > reported",
      )
      .all();
    if (drops.length === 0) return false;
    this.#insert.run(now, "server", internalOnly, null, clientReport(drops, now));
    this.db.prepare("UPDATE drops SET reported = quantity").run();
    return true;
  }

  claim({ after, without, limit }: ClaimRequest): ClaimedReport[] {
    return this.#claim
      .all(after, without, limit)
      .map((row) => ({ ...row, clientAddress: row.clientAddress ?? undefined }));
  }

  /** The report with this very id. */
  find(id: number): StoredReport | undefined {
    const [row] = this.#list.all(id - 1, 1);
    return row?.id === id ? row : undefined;
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

  /** Pages in use, in bytes: what SQLite can fill again doesn't count. */
  #usedBytes(): number {
    return ((this.#pages.get() ?? 0) - (this.#freePages.get() ?? 0)) * this.#pageSize;
  }

  #makeRoom(bytes: number): Drops[] {
    const { maxBytes, whenFull } = this.bounds;
    const drops: Drops[] = [];
    let excess = this.#usedBytes() + bytes - maxBytes;
    if (excess <= 0) return drops;
    if (whenFull === "refuse" || bytes > maxBytes) {
      throw new OutboxError("full", `The outbox holds its ${maxBytes} bytes.`);
    }
    while (excess > 0) {
      const [oldest] = this.#list.all(0, 1);
      if (!oldest) throw new OutboxError("full", `The outbox holds its ${maxBytes} bytes.`);
      drops.push(...this.giveUp([oldest], "cache_overflow"));
      excess = this.#usedBytes() + bytes - maxBytes;
    }
    return drops;
  }
}
