import type Database from "better-sqlite3";
import { highPriorityCategories } from "@/lib/envelope/categories";
import { maxDropQuantity } from "@/lib/envelope/client-report";
import { rowTables } from "../rows";

/**
 * Whether a row is of low priority, 1 or 0. The index is built on this text, so each statement that uses
 * the index repeats it.
 */
export const isLow = `(categories & ${highPriorityCategories} = 0)`;

/**
 * The version of the schema, as `PRAGMA user_version`. Processes of the version before may use the
 * file at the same time, or later: a change must leave their statements right.
 *
 * - 0: `reports_waiting` was on (id, categories)
 * - 1: it finds the reports of each priority in order of arrival
 * - 2: there is `group_states`
 * - 3: reports have a `sender`; `reports_waiting` has it, and each envelope's size
 * - 4: there are the tables of `Rows`
 * - 5: these have measurements, groups and variants; `errors` has no words (version 4 was no release:
 *   its statements need not be right)
 */
const schemaVersion = 5;

/** Creates what is missing, and migrates a file of an earlier version. Must run in a transaction. */
export function prepareSchema(db: Database.Database): void {
  const version = db.pragma("user_version", { simple: true }) as number;
  db.exec(tables);
  if (version < 3) {
    if (!hasColumn(db, "reports", "sender"))
      db.exec("ALTER TABLE reports ADD COLUMN sender INTEGER NOT NULL DEFAULT 0");
    db.exec("DROP INDEX IF EXISTS reports_waiting");
    // An earlier version believed any number that a client had claimed.
    db.exec(`DELETE FROM drops WHERE quantity >= ${maxDropQuantity}`);
  }
  db.exec(index);
  if (hasColumn(db, "errors", "words")) {
    db.exec("ALTER TABLE errors DROP COLUMN words; ALTER TABLE errors DROP COLUMN file");
  }
  db.exec(rowTables((name) => name, { integer: "INTEGER", real: "REAL", strict: " STRICT" }));
  if (version < schemaVersion) db.pragma(`user_version = ${schemaVersion}`);
}

function hasColumn(db: Database.Database, table: string, column: string): boolean {
  const columns = db.pragma(`table_info(${table})`) as { name: string }[];
  return columns.some(({ name }) => name === column);
}

/**
 * Makes it possible to count reports, to skip categories and to find who fills the outbox without
 * reading envelopes.
 */
const index = `CREATE INDEX IF NOT EXISTS reports_waiting
  ON reports (${isLow}, id, categories, sender, length(envelope))`;

const tables = `
  CREATE TABLE IF NOT EXISTS reports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    received_at INTEGER NOT NULL,
    origin TEXT NOT NULL,
    categories INTEGER NOT NULL,
    client_address TEXT,
    envelope BLOB NOT NULL,
    sender INTEGER NOT NULL DEFAULT 0
  ) STRICT;
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
  CREATE TABLE IF NOT EXISTS group_states (
    group_id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    since INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
