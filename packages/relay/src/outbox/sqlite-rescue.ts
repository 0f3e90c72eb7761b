import { existsSync, readdirSync, renameSync } from "node:fs";
import { basename, dirname } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { rollBack, toOutboxError } from "./sqlite-statements.ts";
import {
  allVersions,
  type EngineSet,
  nextStep,
  prefix,
  readVersions,
  type Step,
  type Version,
  withTableNames,
} from "./tables.ts";

/* Which of our tables a file has. */

const versionsTable = `${prefix}versions`;

/** @returns the next migration that the file lacks @throws {OutboxError} if the file must not be used */
export function nextStepIn(db: DatabaseSync, sets: readonly EngineSet[]): Step | undefined {
  const tables = tablesIn(db);
  const versions = tables.includes(versionsTable) ? versionsIn(db) : [];
  return nextStep(sets, { tables, versions });
}

/** @returns none if they can't be read */
export function versionsOf(damagedFile: string): Version[] {
  try {
    const db = new DatabaseSync(damagedFile, { readOnly: true });
    try {
      return versionsIn(db);
    } finally {
      db.close();
    }
  } catch {
    return [];
  }
}

function versionsIn(db: DatabaseSync): Version[] {
  return readVersions(db.prepare(withTableNames(allVersions.text)).all());
}

/** @returns those whose names begin as ours do, in the order in which they were created */
function tablesIn(db: DatabaseSync): string[] {
  const tables = db.prepare("select name from sqlite_master where type = 'table' order by rowid");
  return tables
    .all()
    .map(({ name }) => String(name))
    .filter((name) => name.startsWith(prefix));
}

type Row = Record<string, SQLInputValue>;

/**
 * Copies the rows of a damaged database that can be read, in one transaction. Where a page is damaged, the
 * rows before and behind it are found from both ends, without an index.
 *
 * @param from the damaged file, which is not changed
 * @param db has the tables of the same versions, if they could be read, which say what is copied, in their order
 * @returns how many rows @throws if none could be copied
 */
export function copyReadable(from: string, db: DatabaseSync): number {
  const damaged = new DatabaseSync(from, { readOnly: true });
  try {
    damaged.exec("pragma cell_size_check = on");
    db.exec("begin immediate");
    let copied = 0;
    for (const table of tablesIn(db).filter((name) => name !== versionsTable)) {
      const columns = columnsOf(db, table);
      for (const row of readableRows(damaged, table)) if (insert(db, table, columns, row)) copied++;
    }
    db.exec("commit");
    return copied;
  } catch (error) {
    rollBack(db);
    throw error;
  } finally {
    damaged.close();
  }
}

function* readableRows(db: DatabaseSync, table: string): Generator<Row> {
  let last = 0n;
  for (const { id, row } of walk(db, table, `rowid > ? order by rowid`, last)) {
    last = id;
    if (row) yield row;
  }
  const end = 2n ** 63n - 1n;
  for (const { id, row } of walk(db, table, `rowid < ? order by rowid desc`, end)) {
    if (id <= last) return;
    if (row) yield row;
  }
}

/** Ends at the first row that can't be found. One that is found but can't be read is left out. */
function* walk(db: DatabaseSync, table: string, next: string, start: bigint) {
  let id = start;
  for (;;) {
    const found = attempt<{ id: bigint }>(
      db,
      `select rowid as id from ${table} not indexed where ${next} limit 1`,
      id,
    );
    if (!found) return;
    id = found.id;
    yield { id, row: attempt<Row>(db, `select * from ${table} not indexed where rowid = ?`, id) };
  }
}

function attempt<R>(db: DatabaseSync, sql: string, id: bigint): R | undefined {
  try {
    const statement = db.prepare(sql);
    statement.setReadBigInts(true);
    return statement.get(id) as R | undefined;
  } catch {
    return undefined;
  }
}

function columnsOf(db: DatabaseSync, table: string): string[] {
  return db
    .prepare(`pragma table_info(${table})`)
    .all()
    .map(({ name }) => String(name));
}

/** What the table has no column for is left out. @returns whether the row is there now, and was not before */
function insert(db: DatabaseSync, table: string, all: readonly string[], row: Row): boolean {
  const columns = all.filter((name) => name in row);
  const places = columns.map(() => "?").join(", ");
  const sql = `insert or ignore into ${table} (${columns.join(", ")}) values (${places})`;
  try {
    return db.prepare(sql).run(...columns.map((name) => row[name] ?? null)).changes > 0;
  } catch (error) {
    // What is read of a damaged page may break a rule of the table. All else ends the copy.
    if (toOutboxError(error).fault === "malformed") return false;
    throw error;
  }
}

/** Moves a damaged file out of the way, with what SQLite has beside it. @returns its new path */
export function renameDamaged(file: string): string {
  const stamp = new Date().toISOString().replace(/\W/g, "");
  const target = `${file}.damaged-${stamp}`;
  for (const suffix of ["", "-wal", "-shm"]) {
    if (existsSync(file + suffix)) renameSync(file + suffix, target + suffix);
  }
  return target;
}

/** How many damaged files lie beside the file. */
export function countDamaged(file: string): number {
  const start = `${basename(file)}.damaged-`;
  return readdirSync(dirname(file)).filter(
    (name) => name.startsWith(start) && !/-(wal|shm)$/.test(name),
  ).length;
}
