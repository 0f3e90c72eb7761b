import { existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { readEnvelope } from "@/lib/envelope/read-envelope";
import type { LogFields, LogLevel } from "@/lib/log";

export type Log = (level: LogLevel, event: string, fields?: LogFields) => void;

/** Reports are sorted by id alone; the index lets them be counted and passed over unread. */
const schema = `
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

/** How long opening may wait for another process, which blocks this one's event loop. */
const openPatienceMs = 1000;
/** The same for a write: what takes longer is tried again without blocking. */
export const writePatienceMs = 5;

/**
 * Opens the outbox's file, or begins it. A file that is damaged is kept under another name, what
 * can still be read of it goes into the new one, and both are logged.
 *
 * @throws {Error} of better-sqlite3 or the file system
 */
export function openDatabase(file: string, log: Log, now: number): Database.Database {
  mkdirSync(dirname(file), { recursive: true });
  const found = fileIdentity(file);
  try {
    return openChecked(file, now);
  } catch (error) {
    if (!isDamage(error)) throw error;
    // Another process may have done all this already.
    if (found !== fileIdentity(file)) return openChecked(file, now);
    const aside = setAside(file, now);
    const db = openChecked(file, now);
    const { saved, lost } = salvage(aside, db);
    log("error", "outbox damaged", { cause: String(error), kept: aside, saved, lost });
    return db;
  }
}

/** @returns which file the path names just now; changes when it is replaced */
export function fileIdentity(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}

/** The code of an error of SQLite, or nothing. */
export function sqliteCode(error: unknown): string | undefined {
  return error instanceof Database.SqliteError ? error.code : undefined;
}

export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error) ?? "";
  return /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(code);
}

export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(sqliteCode(error) ?? "");
}

function openChecked(file: string, now: number): Database.Database {
  const db = new Database(file, { timeout: openPatienceMs });
  try {
    const mode = db.pragma("journal_mode = WAL", { simple: true });
    if (mode !== "wal") throw new Error(`Expected a file system for WAL, got mode ${mode}.`);
    // Commits don't wait for the disk here: the outbox does, without stopping the process.
    db.pragma("synchronous = NORMAL");
    // Checkpoints happen in a thread of their own: this is for where that fails.
    db.pragma("wal_autocheckpoint = 8000");
    db.pragma("journal_size_limit = 33554432");
    db.transaction(() => {
      db.exec(schema);
      // A file begun anew counts on from the time, so that no id of an earlier one comes again.
      db.prepare(
        `INSERT INTO sqlite_sequence (name, seq) SELECT 'reports', ?
         WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'reports')`,
      ).run(now * 1000);
    }).immediate();
    const verdict = db.pragma("quick_check(1)", { simple: true });
    if (verdict !== "ok") throw new Database.SqliteError(String(verdict), "SQLITE_CORRUPT");
    db.pragma(`busy_timeout = ${writePatienceMs}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function setAside(file: string, now: number): string {
  const stamp = new Date(now).toISOString().replace(/\W/g, "");
  let aside = `${file}.damaged-${stamp}`;
  for (let n = 2; existsSync(aside); n++) aside = `${file}.damaged-${stamp}-${n}`;
  for (const part of ["", "-wal", "-shm"]) {
    if (existsSync(file + part)) renameSync(file + part, aside + part);
  }
  return aside;
}

/** Copies what can still be read of a damaged file. */
function salvage(aside: string, into: Database.Database): { saved: number; lost: string } {
  let damaged: Database.Database | undefined;
  try {
    damaged = new Database(aside, { timeout: openPatienceMs });
    // SQLite reads a file shorter than its header says only in this mode, which is off by default.
    damaged.unsafeMode(true);
    damaged.pragma("writable_schema = ON");
    return copyReports(damaged, into);
  } catch (error) {
    return { saved: 0, lost: `all: ${String(error)}` };
  } finally {
    damaged?.close();
  }
}

/**
 * Copies all reports that the target doesn't have, from both ends up to any damage.
 *
 * @returns how many were copied, and in words which could not be read
 */
export function copyReports(from: Database.Database, to: Database.Database) {
  const columns = "id, received_at, origin, categories, client_address, envelope";
  const up = from.prepare(`SELECT ${columns} FROM reports WHERE id > ? ORDER BY id LIMIT 1`).raw();
  const down = from
    .prepare(`SELECT ${columns} FROM reports WHERE id < ? ORDER BY id DESC LIMIT 1`)
    .raw();
  const insert = to.prepare(`INSERT OR IGNORE INTO reports (${columns}) VALUES (?, ?, ?, ?, ?, ?)`);
  let saved = 0;
  let last = 0;
  let first = Number.MAX_SAFE_INTEGER;
  const copy = (row: unknown[]) => {
    const envelope = row[5];
    const sound = envelope instanceof Uint8Array && !("fault" in readEnvelope(envelope));
    saved += sound ? insert.run(row).changes : 0;
    return Number(row[0]);
  };
  const damage = to
    .transaction(() => {
      const found = untilDamage(() => {
        for (let row = next(up, 0); row; row = next(up, last)) last = copy(row);
      });
      if (!found) return undefined;
      untilDamage(() => {
        for (let row = next(down, first); row && Number(row[0]) > last; row = next(down, first)) {
          first = copy(row);
        }
      });
      return found;
    })
    .immediate();
  if (!damage) return { saved, lost: "none" };
  const upTo = first === Number.MAX_SAFE_INTEGER ? "the end" : `id ${first}`;
  return { saved, lost: `after id ${last} up to ${upTo}: ${damage.message}` };
}

function next(statement: Database.Statement, id: number): unknown[] | undefined {
  return statement.get(id) as unknown[] | undefined;
}

function untilDamage(read: () => void): Error | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (isDamage(error)) return error as Error;
    throw error;
  }
}
