import { type Rows, type Statement, type Value, withTables } from "../rows";
import type { OutboxFile } from "./outbox-file";
import type { Writer } from "./writer";

/** Rows in the outbox's file. Writes share the transactions of the outbox. */
export class SqliteRows implements Rows {
  constructor(
    private readonly file: OutboxFile,
    private readonly writer: Writer,
  ) {}

  async select<Row extends object>(statement: Statement): Promise<Row[]> {
    return this.file.read(({ db }) => {
      const { text, values } = prepared(statement);
      return db.prepare(text).all(values) as Row[];
    });
  }

  change(statements: readonly Statement[]): Promise<void> {
    return this.writer.write(0, ({ db }) => {
      for (const statement of statements) {
        const { text, values } = prepared(statement);
        db.prepare(text).run(values);
      }
      return undefined;
    });
  }
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
