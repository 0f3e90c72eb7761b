import type Database from "better-sqlite3";
import { type Rows, type Statement, withTables } from "../rows";
import type { OutboxFile } from "./outbox-file";
import type { Writer } from "./writer";

/** Rows in the outbox's file. Writes share the transactions of the outbox. */
export class SqliteRows implements Rows {
  constructor(
    private readonly file: OutboxFile,
    private readonly writer: Writer,
  ) {}

  async select<Row extends object>(statement: Statement): Promise<Row[]> {
    return this.file.read(({ db }) => prepared(db, statement).all(bound(statement)) as Row[]);
  }

  change(statements: readonly Statement[]): Promise<void> {
    return this.writer.write(0, ({ db }) => {
      for (const statement of statements) prepared(db, statement).run(bound(statement));
      return undefined;
    });
  }
}

function prepared(db: Database.Database, { text }: Statement) {
  return db.prepare<[Record<string, unknown>]>(withTables(text, (name) => name));
}

/** SQLite takes `$1` for a parameter with the name 1. */
function bound({ values = [] }: Statement): Record<string, unknown> {
  return Object.fromEntries(values.map((value, i) => [i + 1, value]));
}
