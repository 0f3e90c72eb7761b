import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { type Log, type OutboxBounds, OutboxError } from "../outbox";
import { ReportTable } from "./report-table";
import { prepareSchema } from "./schema";
import { isBusy, isDamage, isDataFault, sqliteCode, toOutboxError } from "./sqlite-faults";

export interface OutboxFileOptions {
  /** Path of the SQLite file. */
  file: string;
  bounds: OutboxBounds;
  log: Log;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of any clock that only goes forward. */
  monotonicNow(): number;
  /** Called with each new connection. */
  onOpen?(db: Database.Database): void;
}

interface OpenFile {
  table: ReportTable;
  wal: WalSync;
  identity: string | undefined;
}

/** How long opening may wait for another process. This blocks the event loop. */
const openBusyMs = 1000;
/** The same for a transaction; the writer retries after that without blocking. */
const busyMs = 5;
/** The same for the last transaction before the process ends. */
const lastBusyMs = 1000;
/** Pages of 4 KiB, four times as many as the writer lets pass between two checkpoints of its own. */
const fallbackCheckpointPages = 8000;
/** SQLite cuts a longer `-wal` down to this when it starts it from its beginning. */
const maxIdleWalBytes = 32 * 1024 * 1024;
/** Minimum time between two attempts to open a file that can't be opened or written. */
const reopenMs = 1000;
/** How often reads look whether the path still names the open file. Each transaction does. */
const checkMs = 250;

/**
 * The outbox's SQLite file in WAL mode. It is opened at its first use, and again after an error or
 * when the path names another file than the open one. A damaged file is renamed, never deleted.
 */
export class OutboxFile {
  #open: OpenFile | undefined;
  #failure: { error: OutboxError; at: number } | undefined;
  /** The file that was found whole, as `fileIdentity` returns it. */
  #checked: string | undefined;
  #lastCheck = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(private readonly options: OutboxFileOptions) {}

  /** Which file is open, as `fileIdentity` returns it; changes when another takes its place. */
  get identity(): string | undefined {
    return this.#open?.identity;
  }

  /** @throws {OutboxError} */
  read<T>(query: (table: ReportTable) => T): T {
    try {
      const mustCheck = this.options.monotonicNow() - this.#lastCheck >= checkMs;
      const open = mustCheck ? this.#current() : (this.#open ?? this.#reopen());
      return query(open.table);
    } catch (error) {
      if (isDamage(error)) this.#checked = undefined;
      if (sqliteCode(error) && !isBusy(error)) this.#letGo();
      throw toOutboxError(error);
    }
  }

  /**
   * Runs everything in one transaction. It is on disk after the next `sync`, or not written at all.
   *
   * @param run is called again if the first attempt finds the file damaged
   * @param mayBlock whether this may block the event loop while another process writes
   * @throws {OutboxError}
   */
  transaction<T>(run: (table: ReportTable) => T, mayBlock = false): T {
    for (let attempt = 1; ; attempt++) {
      try {
        const { table } = this.#current();
        if (mayBlock) table.db.pragma(`busy_timeout = ${lastBusyMs}`);
        try {
          return table.transaction(run);
        } finally {
          if (mayBlock) table.db.pragma(`busy_timeout = ${busyMs}`);
        }
      } catch (error) {
        const code = sqliteCode(error);
        if (code && code !== "SQLITE_FULL" && !isBusy(error) && !isDataFault(error)) this.#letGo();
        // Opening the file again renames a damaged one, and creates tables that are missing.
        const reopeningHelps = isDamage(error) || code === "SQLITE_ERROR";
        if (isDamage(error)) this.#checked = undefined;
        if (reopeningHelps && attempt === 1) continue;
        const failure = toOutboxError(error);
        if (code && !this.#open) this.#waitAfter(failure);
        throw failure;
      }
    }
  }

  /**
   * Resolves once all earlier transactions are on disk. Does the same as `synchronous = FULL`, but
   * SQLite would block the event loop meanwhile.
   *
   * @throws {OutboxError}
   */
  async sync(): Promise<void> {
    try {
      await this.#wal().sync();
    } catch (error) {
      throw this.#syncError(error);
    }
  }

  /** The same, before it returns. @throws {OutboxError} */
  syncNow(): void {
    try {
      this.#wal().syncNow();
    } catch (error) {
      throw this.#syncError(error);
    }
  }

  close(): void {
    this.#letGo();
    this.#closed = true;
  }

  /** After the path was deleted or replaced, no other process would read what is written here. */
  #current(): OpenFile {
    const { file, log, monotonicNow } = this.options;
    this.#lastCheck = monotonicNow();
    if (this.#open && fileIdentity(file) !== this.#open.identity) {
      log("error", "outbox file replaced", { file });
      this.#checked = undefined;
      this.#letGo();
    }
    return this.#open ?? this.#reopen();
  }

  #reopen(): OpenFile {
    const { file, monotonicNow } = this.options;
    if (this.#closed) throw new OutboxError("unwritable", "The outbox is closed.");
    const failure = this.#failure;
    if (failure && monotonicNow() - failure.at < reopenMs) throw failure.error;
    try {
      // A check reads the whole file, and nothing else happens meanwhile.
      const mustCheck = this.#checked === undefined || fileIdentity(file) !== this.#checked;
      this.#open = openFile(this.options, mustCheck);
      this.#checked = this.#open.identity;
      this.#failure = undefined;
      return this.#open;
    } catch (cause) {
      if (isDamage(cause)) this.#checked = undefined;
      const error = toOutboxError(cause);
      if (error.fault !== "busy") this.#waitAfter(error);
      throw error;
    }
  }

  /** Until `reopenMs` after that, the file is not opened. */
  #waitAfter(error: OutboxError): void {
    this.#failure = { error, at: this.options.monotonicNow() };
  }

  #wal(): WalSync {
    if (!this.#open) throw new Error("The file was closed after the transaction.");
    return this.#open.wal;
  }

  #syncError(cause: unknown): OutboxError {
    this.#letGo();
    const error = new OutboxError("unwritable", "Writing to the disk failed.", { cause });
    this.#waitAfter(error);
    return error;
  }

  #letGo(): void {
    this.#open?.table.db.close();
    this.#open?.wal.close();
    this.#open = undefined;
  }
}

/**
 * Syncs a `-wal` file to disk without blocking, through a descriptor of its own. Only a `-wal`
 * allows this: on a file that SQLite locks by `fcntl`, closing the descriptor would drop its locks.
 */
class WalSync {
  readonly #descriptor: number;
  #running = 0;
  #closed = false;

  constructor(file: string) {
    this.#descriptor = openSync(file, "r+");
  }

  sync(): Promise<void> {
    this.#running++;
    return new Promise((resolve, reject) => {
      fdatasync(this.#descriptor, (error) => {
        this.#running--;
        this.#closeIfIdle();
        if (error) reject(error);
        else resolve();
      });
    });
  }

  syncNow(): void {
    fdatasyncSync(this.#descriptor);
  }

  /** Takes effect once no sync is running. */
  close(): void {
    this.#closed = true;
    this.#closeIfIdle();
  }

  #closeIfIdle(): void {
    if (this.#closed && this.#running === 0) closeSync(this.#descriptor);
  }
}

function openFile(
  { file, bounds, log, now, onOpen }: OutboxFileOptions,
  mustCheck: boolean,
): OpenFile {
  const db = openOrReplace(file, log, now(), mustCheck);
  let wal: WalSync | undefined;
  try {
    wal = new WalSync(`${file}-wal`);
    onOpen?.(db);
    const table = new ReportTable(db, bounds);
    wal.syncNow();
    return { table, wal, identity: fileIdentity(file) };
  } catch (error) {
    wal?.close();
    db.close();
    throw error;
  }
}

function openOrReplace(file: string, log: Log, now: number, mustCheck: boolean): Database.Database {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const identity = fileIdentity(file);
  try {
    return openDatabase(file, now, mustCheck);
  } catch (error) {
    if (!isDamage(error)) throw error;
    // Unless another process has just renamed it.
    if (identity === fileIdentity(file)) {
      const renamedTo = renameDamaged(file, now);
      log("error", "outbox file damaged", { cause: String(error), renamedTo });
    }
    return openDatabase(file, now, true);
  }
}

/** @param mustCheck whether all of the file is read, to find out whether it is whole */
function openDatabase(file: string, now: number, mustCheck: boolean): Database.Database {
  createPrivately(file);
  const db = new Database(file, { timeout: openBusyMs });
  try {
    const mode = db.pragma("journal_mode = WAL", { simple: true });
    if (mode !== "wal") throw new Error(`Expected a file system for WAL, got mode ${mode}.`);
    // Commits don't wait for the disk; `OutboxFile.sync` does.
    db.pragma("synchronous = NORMAL");
    // A thread does the checkpoints. SQLite only does them if the thread fails: later, and blocking.
    db.pragma(`wal_autocheckpoint = ${fallbackCheckpointPages}`);
    db.pragma(`journal_size_limit = ${maxIdleWalBytes}`);
    db.transaction(() => {
      prepareSchema(db);
      // In a new file ids start at the time in microseconds, so that no id of an earlier file recurs.
      db.prepare(
        `INSERT INTO sqlite_sequence (name, seq) SELECT 'reports', ?
         WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'reports')`,
      ).run(now * 1000);
    }).immediate();
    const verdict = mustCheck ? db.pragma("quick_check(1)", { simple: true }) : "ok";
    if (verdict !== "ok") throw new Database.SqliteError(String(verdict), "SQLITE_CORRUPT");
    db.pragma(`busy_timeout = ${busyMs}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Creates a file that only this user may read: SQLite would let everybody. Its `-wal` and `-shm` get
 * the same mode from SQLite. A file that is there keeps its mode.
 */
export function createPrivately(file: string): void {
  closeSync(openSync(file, "a", 0o600));
}

/** @returns the new path */
function renameDamaged(file: string, now: number): string {
  const stamp = new Date(now).toISOString().replace(/\W/g, "");
  let target = `${file}.damaged-${stamp}`;
  for (let n = 2; existsSync(target); n++) target = `${file}.damaged-${stamp}-${n}`;
  for (const suffix of ["", "-wal", "-shm"]) {
    if (existsSync(file + suffix)) renameSync(file + suffix, target + suffix);
  }
  return target;
}

/**
 * @returns which file the path names, or nothing if there is none; changes when the file is replaced
 * @throws {Error} if that can't be found out
 */
export function fileIdentity(file: string): string | undefined {
  try {
    const { dev, ino } = statSync(file);
    return `${dev}:${ino}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ENOTDIR: a file took the place of the folder.
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
