import type Database from "better-sqlite3";
import { type Statement, withTables } from "../rows";

export function selectRows<Row>(db: Database.Database, statement: Statement): Row[] {
  return prepared(db, statement).all(bound(statement)) as Row[];
}

export function runStatement(db: Database.Database, statement: Statement): void {
  prepared(db, statement).run(bound(statement));
}

function prepared(db: Database.Database, { text }: Statement) {
  return db.prepare<[Record<string, unknown>]>(withTables(text, (name) => name));
}

/** SQLite takes `$1` for a parameter with the name 1. */
function bound({ values = [] }: Statement): Record<string, unknown> {
  return Object.fromEntries(values.map((value, i) => [i + 1, value]));
}
