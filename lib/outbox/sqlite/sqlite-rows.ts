import type Database from "better-sqlite3";
import { type Statement, type Value, withTables } from "../rows";

export function selectRows<Row>(db: Database.Database, statement: Statement): Row[] {
  const { text, values } = prepared(statement);
  return db.prepare(text).all(values) as Row[];
}

export function runStatement(db: Database.Database, statement: Statement): void {
  const { text, values } = prepared(statement);
  db.prepare(text).run(values);
}

/**
 * A parameter without a name, as SQLite looks for names one after the other: a statement with
 * thousands would take seconds. Each value is given as often as it is used.
 */
function prepared({ text, values = [] }: Statement): { text: string; values: Value[] } {
  const given: Value[] = [];
  const unnamed = withTables(text, (name) => name).replace(/\$(\d+)/g, (_, number: string) => {
    given.push(values[Number(number) - 1] ?? null);
    return "?";
  });
  return { text: unnamed, values: given };
}
