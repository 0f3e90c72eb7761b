import type Database from "better-sqlite3";
import { copyReports, fileIdentity, isBusy, type Log, openDatabase, sqliteCode } from "./database";
import { DiskSync } from "./disk-sync";
import { OutboxError } from "./outbox";
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

interface Opened {
  table: ReportTable;
  /** Of the `-wal`, where a transaction goes first. */
  disk: DiskSync;
  identity: string | undefined;
}

/** A file that can't be opened is tried again at most this often. */
const retryMs = 1000;
/** For so long a reader takes it that its file is still the one that the path names. */
const identityMs = 250;

/** The outbox's file: opened when it is needed, and again when it was damaged, deleted or replaced. */
export class OutboxFile {
  #opened: Opened | undefined;
  #identifiedAt = 0;
  #unopened: { error: OutboxError; at: number } | undefined;
  #closed = false;

  constructor(private readonly options: Required<OutboxOptions>) {}

  /** @throws {OutboxError} */
  open(purpose: "read" | "write"): ReportTable {
    const { file, now } = this.options;
    if (this.#closed) throw new OutboxError("unwritable", "The outbox is closed.");
    const old = this.#opened;
    if (old && (!this.#mayBeReplaced(purpose) || fileIdentity(file) === old.identity)) {
      return old.table;
    }
    if (this.#unopened && now() - this.#unopened.at < retryMs) throw this.#unopened.error;
    try {
      const opened = this.#openAnew(old);
      this.letGo();
      this.#opened = opened;
      this.#unopened = undefined;
      return opened.table;
    } catch (cause) {
      const error = explain(cause);
      if (error.fault !== "busy") this.#unopened = { error, at: now() };
      throw error;
    }
  }

  /** For waiting until what was written through `open` is on disk. */
  disk(): DiskSync {
    if (!this.#opened) throw new Error("Expected an open file after a transaction.");
    return this.#opened.disk;
  }

  /** Closes the file; the next use opens it again. */
  letGo(): void {
    this.#opened?.table.db.close();
    this.#opened?.disk.close();
    this.#opened = undefined;
  }

  close(): void {
    this.letGo();
    this.#closed = true;
  }

  /** A write must go to the file that the path names now; a read may be a moment late. */
  #mayBeReplaced(purpose: "read" | "write"): boolean {
    const now = performance.now();
    if (purpose === "read" && now - this.#identifiedAt < identityMs) return false;
    this.#identifiedAt = now;
    return true;
  }

  #openAnew(old: Opened | undefined): Opened {
    const { file, bounds, log, now, onOpen } = this.options;
    const gone = fileIdentity(file) === undefined;
    const db = openDatabase(file, log, now());
    let disk: DiskSync | undefined;
    try {
      disk = new DiskSync(`${file}-wal`);
      if (old) {
        // A file deleted under us can still be read. One that was replaced was set aside by
        // another process, which has taken care of what was in it.
        const { saved } = gone ? copyReports(old.table.db, db) : { saved: 0 };
        log("error", "outbox file replaced", { file, saved });
      }
      onOpen(db);
      const table = new ReportTable(db, bounds);
      disk.syncNow();
      return { table, disk, identity: fileIdentity(file) };
    } catch (error) {
      disk?.close();
      db.close();
      throw error;
    }
  }
}

/** @returns any error of the file as one that says what it means */
export function explain(error: unknown): OutboxError {
  if (error instanceof OutboxError) return error;
  const cause = { cause: error };
  if (isBusy(error)) return new OutboxError("busy", "Another process holds the outbox.", cause);
  if (sqliteCode(error) === "SQLITE_FULL") {
    return new OutboxError("full", "The disk is full.", cause);
  }
  return new OutboxError("unwritable", "The outbox can't be used.", cause);
}
