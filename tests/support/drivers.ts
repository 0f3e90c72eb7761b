import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { inject, onTestFinished } from "vitest";
import type { Driver } from "@/packages/relay/src/outbox/driver";
import { PostgresDriver, type PostgresOptions } from "@/packages/relay/src/outbox/postgres-driver";
import { SqliteDriver, type SqliteOptions } from "@/packages/relay/src/outbox/sqlite-driver";
import type { TableSet } from "@/packages/relay/src/outbox/tables";
import { type LogLine, recordedLog, temporaryFolder } from "./outboxes";
import { runSql } from "./postgres.js";

/** A driver of a real file, closed when the test ends. */
export function openSqliteDriver(
  tables: readonly TableSet[],
  {
    file = join(temporaryFolder(), "outbox.db"),
    ...options
  }: Partial<Omit<SqliteOptions, "schema">> = {},
) {
  const { lines, log } = recordedLog();
  const driver = new SqliteDriver({ log, ...options, file, tables });
  onTestFinished(() => driver.close());
  return { driver, file, lines };
}

/** A driver of a schema of its own in the Postgres of the test run, closed when the test ends. */
export function openPostgresDriver(
  tables: readonly TableSet[],
  {
    url = inject("postgresUrl"),
    schema = `test_${randomUUID().replaceAll("-", "")}`,
    ...options
  }: Partial<Omit<PostgresOptions, "tables">> = {},
) {
  const { lines, log } = recordedLog();
  const driver = new PostgresDriver({ log, ...options, url, schema, tables });
  onTestFinished(() => driver.close());
  return { driver, schema, lines };
}

/** What the tests of both engines need. */
interface OpenedDriver {
  driver: Driver;
  /** Of all that use the store. */
  lines: LogLine[];
  /** Opens the same store as another process does. */
  another(tables?: readonly TableSet[]): Driver;
  /** Runs SQL as somebody else does. @param sql is given what our tables are called */
  run(sql: (table: (name: string) => string) => string): Promise<void>;
}

/** For `describe.each`: each engine's name, and how to open a new store of it. */
export const drivers: [name: string, open: (tables: readonly TableSet[]) => OpenedDriver][] = [
  [
    "SQLite",
    (tables) => {
      const { lines, log } = recordedLog();
      const { driver, file } = openSqliteDriver(tables, { log });
      return {
        ...{ driver, lines },
        another: (its = tables) => openSqliteDriver(its, { file, log }).driver,
        async run(sql) {
          const db = new DatabaseSync(file);
          db.exec(sql((name) => `signpost_${name}`));
          db.close();
        },
      };
    },
  ],
  [
    "Postgres",
    (tables) => {
      const { lines, log } = recordedLog();
      const { driver, schema } = openPostgresDriver(tables, { log });
      return {
        ...{ driver, lines },
        another: (its = tables) => openPostgresDriver(its, { schema, log }).driver,
        async run(sql) {
          const url = inject("postgresUrl");
          await runSql(url, `create schema if not exists "${schema}"`);
          await runSql(
            url,
            sql((name) => `"${schema}".signpost_${name}`),
          );
        },
      };
    },
  ],
];
