import { DatabaseSync } from "node:sqlite";
import type { Failure } from "./sqlite-faults.ts";
import {
  allVersions,
  type EngineSet,
  nextStep,
  prefix,
  readVersions,
  type Step,
  type Version,
  withTableNames,
} from "./table-sets.ts";

/* Which of our tables a file has. */

const versionsTable = `${prefix}versions`;

/** @returns the next migration that the file lacks @throws {Failure} if the file must not be used */
export function nextStepIn(db: DatabaseSync, sets: readonly EngineSet[]): Step | undefined {
  const tables = tablesIn(db);
  const versions = tables.includes(versionsTable) ? versionsIn(db) : [];
  const step = nextStep(sets, { tables, versions });
  if (typeof step !== "string") return step;
  throw { fault: "unwritable", message: step, cause: step } satisfies Failure;
}

/** @returns what holds rows, in the order in which it was created */
export function tablesWithRows(db: DatabaseSync): string[] {
  return tablesIn(db).filter((name) => name !== versionsTable);
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

/** @returns those whose names begin as ours do */
function tablesIn(db: DatabaseSync): string[] {
  const tables = db.prepare("select name from sqlite_master where type = 'table' order by rowid");
  return tables
    .all()
    .map(({ name }) => String(name))
    .filter((name) => name.startsWith(prefix));
}

/** Ends a transaction that has failed. Nodes before 22.16 don't say whether there is one. */
export function rollBack(db: DatabaseSync): void {
  try {
    db.exec("rollback");
  } catch {
    // After some errors, SQLite has done it.
  }
}
