import type Database from "better-sqlite3";
import type { CategorySet } from "@/lib/envelope/categories";
import type { DropReason, Drops } from "@/lib/envelope/client-report";
import { readEnvelope } from "@/lib/envelope/read-envelope";
import {
  copyReports,
  fileIdentity,
  isBusy,
  isDamage,
  type Log,
  openDatabase,
  sqliteCode,
  writePatienceMs,
} from "./database";
import { DiskSync } from "./disk-sync";
import { DropLog } from "./drop-log";
import { GroupCommit } from "./group-commit";
import { Lease } from "./lease";
import {
  type AppendDetails,
  type ClaimedReport,
  type ClaimRequest,
  type Origin,
  type Outbox,
  OutboxError,
  type OutboxStats,
  type StoredReport,
} from "./outbox";
import { type OutboxBounds, ReportTable } from "./report-table";

export interface OutboxOptions {
  /** Path of the SQLite file. Its lease lies beside it. */
  file: string;
  bounds: OutboxBounds;
  log: Log;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Called with each connection that is opened. */
  onOpen?: (db: Database.Database) => void;
}

/** What goes into one transaction; the drops it causes are logged once it is on disk. */
type Task = (table: ReportTable, drops: Drops[]) => void;

interface Write {
  task: Task;
  bytes: number;
  resolve(): void;
  reject(error: unknown): void;
}

const lastDelivery = "last-delivery";
const lastDeliveryEveryMs = 1000;
/** A file that can't be opened is tried again at most this often. */
const retryMs = 1000;
/** For so long a reader takes it that its file is still the one that the path names. */
const identityMs = 250;
/** How long a last write before the end of the process may block. */
const lastPatienceMs = 1000;

/**
 * The outbox on SQLite, in WAL mode. A promise resolves when the transaction is on disk, as it would
 * with `synchronous = FULL`; only that the wait for the disk is not spent inside of SQLite, where it
 * would stop everything else the process does.
 */
export class SqliteOutbox implements Outbox {
  readonly #options: Required<OutboxOptions>;
  readonly #lease: Lease;
  readonly #commits = new GroupCommit<Write>((writes, mayBlock) => this.#commit(writes, mayBlock));
  readonly #dropLog: DropLog;
  readonly #listeners: (() => void)[] = [];
  #table: ReportTable | undefined;
  /** Of the `-wal`, where a transaction goes first. */
  #disk: DiskSync | undefined;
  #identity: string | undefined;
  #identifiedAt = 0;
  #unopened: { error: OutboxError; at: number } | undefined;
  #failure: OutboxError | undefined;
  #lastDelivery = 0;
  #closed = false;

  constructor(options: OutboxOptions) {
    this.#options = { now: Date.now, onOpen: () => {}, ...options };
    this.#lease = new Lease(`${options.file}.lease`);
    this.#dropLog = new DropLog(options.log);
  }

  append(envelope: Uint8Array, origin: Origin, details: AppendDetails = {}): Promise<void> {
    let { categories } = details;
    if (categories === undefined) {
      const read = readEnvelope(envelope);
      if ("fault" in read) return Promise.reject(new OutboxError("malformed", read.detail));
      categories = read.categories;
    }
    const known = { ...details, categories };
    const now = this.#options.now();
    return this.#write(envelope.length, (table, drops) => {
      drops.push(...table.append(envelope, origin, known, now));
      drops.push(...table.trim());
    });
  }

  flush(): void {
    this.#commits.flush();
    if (this.#commits.underWay && this.#disk) this.#sync(true);
  }

  claim(request: ClaimRequest): ClaimedReport[] {
    return this.lease() ? this.#read((table) => table.claim(request)) : [];
  }

  lease(): boolean {
    try {
      return this.#lease.acquire();
    } catch (cause) {
      throw new OutboxError("unwritable", "The outbox's lease can't be used.", { cause });
    }
  }

  release(): void {
    this.#lease.release();
  }

  settle(id: number, outcome: "delivered" | DropReason): Promise<void> {
    const now = this.#options.now();
    return this.#write(0, (table, drops) => {
      if (outcome === "delivered") {
        table.remove(id);
        if (now - this.#lastDelivery < lastDeliveryEveryMs) return;
        table.setNote(lastDelivery, String(now));
        this.#lastDelivery = now;
      } else {
        const report = table.find(id);
        if (report) drops.push(...table.giveUp([report], outcome));
      }
    });
  }

  async expire(limited: CategorySet): Promise<void> {
    const before = this.#options.now() - this.#options.bounds.maxAgeMs;
    const reason = (report: ClaimedReport): DropReason =>
      (report.categories & limited) !== 0 ? "ratelimit_backoff" : "network_error";
    for (let more = true; more; ) {
      await this.#write(0, (table, drops) => {
        const expired = table.expire(before, reason);
        more = expired !== undefined;
        drops.push(...(expired ?? []));
      });
    }
  }

  reportDrops(): Promise<void> {
    return this.#write(0, (table) => {
      table.reportDrops(this.#options.now());
    });
  }

  list(range: { after: number; limit: number }): StoredReport[] {
    return this.#read((table) => table.list(range));
  }

  oldestId(): number | undefined {
    return this.#read((table) => table.oldest()?.id);
  }

  note(name: string): string | undefined {
    return this.#read((table) => table.note(name));
  }

  setNote(name: string, value: string): Promise<void> {
    return this.#write(0, (table) => table.setNote(name, value));
  }

  stats(): OutboxStats {
    this.#probe();
    try {
      return this.#read((table) => {
        const oldest = table.oldest();
        const delivered = Number(table.note(lastDelivery) ?? 0);
        return {
          writable: this.#failure === undefined,
          fault: this.#failure?.fault,
          waiting: table.count(),
          oldestAge: oldest && Math.max(0, this.#options.now() - oldest.receivedAt),
          lastDelivery: Math.max(delivered, this.#lastDelivery) || undefined,
          drops: table.drops(),
        };
      });
    } catch (error) {
      const fault = error instanceof OutboxError ? error.fault : "unwritable";
      const nothing = { oldestAge: undefined, lastDelivery: undefined, drops: [] };
      return { writable: false, fault, waiting: 0, ...nothing };
    }
  }

  onAppend(listener: () => void): void {
    this.#listeners.push(listener);
  }

  close(): void {
    if (this.#closed) return;
    this.flush();
    this.#closed = true;
    this.#letGo();
    this.#lease.release();
  }

  #write(bytes: number, task: Task): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#commits.add({ bytes, task, resolve, reject });
    });
  }

  /** Runs the tasks in one transaction. One that finds no room is refused alone. */
  #commit(writes: Write[], mayBlock: boolean): Promise<void> | undefined {
    const drops: Drops[] = [];
    const refused = new Map<Write, OutboxError>();
    try {
      this.#transaction(mayBlock, (table) => {
        drops.length = 0;
        refused.clear();
        for (const write of writes) {
          try {
            write.task(table, drops);
          } catch (error) {
            if (!(error instanceof OutboxError)) throw error;
            refused.set(write, error);
          }
        }
      });
    } catch (cause) {
      const error = explain(cause);
      if (error.fault !== "busy") this.#failed(error);
      throw error;
    }
    this.#recovered();
    for (const [write, error] of refused) write.reject(error);
    this.#dropLog.add(drops);
    // What only takes reports out may come undone: then they are delivered again.
    if (!writes.some((write) => write.bytes > 0 && !refused.has(write))) return undefined;
    for (const listener of this.#listeners) listener();
    return this.#sync(mayBlock);
  }

  #sync(mayBlock: boolean): Promise<void> | undefined {
    const fail = (cause: unknown) => {
      const error = new OutboxError("unwritable", "The disk can't be reached.", { cause });
      this.#failed(error);
      this.#letGo();
      return error;
    };
    if (!mayBlock) {
      return this.#written()
        .sync()
        .catch((error) => {
          throw fail(error);
        });
    }
    try {
      this.#written().syncNow();
      return undefined;
    } catch (error) {
      throw fail(error);
    }
  }

  #written(): DiskSync {
    if (!this.#disk) throw new Error("Expected an open file after a transaction.");
    return this.#disk;
  }

  #transaction(mayBlock: boolean, run: (table: ReportTable) => void): void {
    for (let tries = 1; ; tries++) {
      const table = this.#open("write");
      const { db } = table;
      try {
        if (mayBlock) db.pragma(`busy_timeout = ${lastPatienceMs}`);
        table.transaction(() => run(table));
        return;
      } catch (error) {
        // Damage, or a file without our tables: opening it again mends either.
        const mends = isDamage(error) || sqliteCode(error) === "SQLITE_ERROR";
        if (!isBusy(error) && sqliteCode(error) !== "SQLITE_FULL") this.#letGo();
        if (!mends || tries > 1) throw error;
      } finally {
        if (mayBlock && db.open) db.pragma(`busy_timeout = ${writePatienceMs}`);
      }
    }
  }

  #read<T>(query: (table: ReportTable) => T): T {
    try {
      return query(this.#open("read"));
    } catch (error) {
      if (sqliteCode(error) && !isBusy(error)) this.#letGo();
      throw explain(error);
    }
  }

  /** A write must go to the file that the path names now; a read may be a moment late. */
  #mayBeReplaced(purpose: "read" | "write"): boolean {
    const now = performance.now();
    if (purpose === "read" && now - this.#identifiedAt < identityMs) return false;
    this.#identifiedAt = now;
    return true;
  }

  #open(purpose: "read" | "write"): ReportTable {
    const { file, bounds, log, now, onOpen } = this.#options;
    if (this.#closed) throw new OutboxError("unwritable", "The outbox is closed.");
    const old = this.#table;
    if (old && (!this.#mayBeReplaced(purpose) || fileIdentity(file) === this.#identity)) return old;
    if (this.#unopened && now() - this.#unopened.at < retryMs) throw this.#unopened.error;
    let db: Database.Database | undefined;
    try {
      const gone = fileIdentity(file) === undefined;
      db = openDatabase(file, log, now());
      const disk = new DiskSync(`${file}-wal`);
      if (old) {
        // A file deleted under us can still be read. One that was replaced was set aside by
        // another process, which has taken care of what was in it.
        const { saved } = gone ? copyReports(old.db, db) : { saved: 0 };
        log("error", "outbox file replaced", { file, saved });
        this.#letGo();
      }
      this.#unopened = undefined;
      onOpen(db);
      const table = new ReportTable(db, bounds);
      disk.syncNow();
      this.#disk = disk;
      this.#table = table;
      this.#identity = fileIdentity(file);
      return table;
    } catch (cause) {
      db?.close();
      const error = explain(cause);
      if (error.fault !== "busy") this.#unopened = { error, at: now() };
      throw error;
    }
  }

  #letGo(): void {
    this.#table?.db.close();
    this.#table = undefined;
    this.#disk?.close();
    this.#disk = undefined;
  }

  #failed(error: OutboxError): void {
    if (this.#failure?.fault !== error.fault) {
      const cause = error.cause ? String(error.cause) : undefined;
      this.#options.log("error", "outbox can't be written", { reason: error.message, cause });
    }
    this.#failure = error;
  }

  #recovered(): void {
    if (!this.#failure) return;
    this.#failure = undefined;
    this.#options.log("info", "outbox can be written again");
  }

  /** Finds out whether writing works while nothing else is being written. */
  #probe(): void {
    if (this.#failure) {
      // Its outcome shows in the next stats; a failure is logged where it is noted.
      this.setNote("probe", String(this.#options.now())).catch(() => {});
      return;
    }
    try {
      this.#open("write").transaction(() => {});
    } catch (error) {
      if (!isBusy(error)) this.#failed(explain(error));
    }
  }
}

function explain(error: unknown): OutboxError {
  if (error instanceof OutboxError) return error;
  const cause = { cause: error };
  if (isBusy(error)) return new OutboxError("busy", "Another process holds the outbox.", cause);
  if (sqliteCode(error) === "SQLITE_FULL")
    return new OutboxError("full", "The disk is full.", cause);
  return new OutboxError("unwritable", "The outbox can't be used.", cause);
}
