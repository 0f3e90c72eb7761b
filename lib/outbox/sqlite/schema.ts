import type Database from "better-sqlite3";
import { importantCategories } from "@/lib/envelope/categories";

/**
 * Whether a row is expendable, 1 or 0. The index is built on this text, so each statement that uses
 * the index repeats it.
 */
export const expendable = `(categories & ${importantCategories} = 0)`;

/**
 * The version of the schema, as `PRAGMA user_version`. Processes of the version before may use the
 * file at the same time, or later: a change must leave their statements right.
 *
 * - 0: `reports_waiting` was on (id, categories)
 * - 1: it finds the important and the expendable reports, each in order of arrival
 * - 2: there is `group_states`
 */
const schemaVersion = 2;

/** Creates what is missing, and migrates a file of an earlier version. Must run in a transaction. */
export function prepareSchema(db: Database.Database): void {
  const version = db.pragma("user_version", { simple: true }) as number;
  if (version < 1) db.exec("DROP INDEX IF EXISTS reports_waiting");
  if (version < schemaVersion) db.pragma(`user_version = ${schemaVersion}`);
  db.exec(schema);
}

/** The index makes it possible to count reports, and to skip categories, without reading envelopes. */
const schema = `
  CREATE TABLE IF NOT EXISTS reports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    received_at INTEGER NOT NULL,
    origin TEXT NOT NULL,
    categories INTEGER NOT NULL,
    client_address TEXT,
    envelope BLOB NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS reports_waiting ON reports (${expendable}, id, categories);
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
