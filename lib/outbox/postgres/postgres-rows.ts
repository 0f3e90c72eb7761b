import { OutboxError } from "../outbox";
import { type Rows, type Statement, withTables } from "../rows";
import type { Database } from "./database";
import { isDataFault } from "./database-faults";
import { tableIn } from "./schema";

/** Rows in the outbox's schema. */
export class PostgresRows implements Rows {
  readonly #database: Database;
  readonly #table: (name: string) => string;

  constructor(database: Database, schema: string) {
    this.#database = database;
    this.#table = tableIn(schema);
  }

  select<Row extends object>({ text, values = [] }: Statement): Promise<Row[]> {
    return this.#database.query<Row>(withTables(text, this.#table), [...values]);
  }

  async change(statements: readonly Statement[]): Promise<void> {
    try {
      await this.#database.transaction(async (query) => {
        for (const { text, values = [] } of statements) {
          await query(withTables(text, this.#table), [...values]);
        }
      });
    } catch (error) {
      if (!isDataFault(error)) throw error;
      throw new OutboxError("malformed", "The row can't be stored.", { cause: error });
    }
  }
}
