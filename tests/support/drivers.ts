import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import type { Driver, Schema } from "@/lib/relay/outbox/driver";
import { PostgresDriver } from "@/lib/relay/outbox/postgres-driver";
import { SqliteDriver, type SqliteOptions } from "@/lib/relay/outbox/sqlite-driver";
import { type LogLine, recordedLog, temporaryFolder } from "./outboxes";

/** A driver of a real file, closed when the test ends. */
export function openSqliteDriver(
  tables: Schema,
  {
    file = join(temporaryFolder(), "outbox.db"),
    ...options
  }: Partial<Omit<SqliteOptions, "schema">> = {},
) {
  const { lines, log } = recordedLog();
  const driver = new SqliteDriver({ log, ...options, file, schema: tables });
  onTestFinished(() => driver.close());
  return { driver, file, lines };
}

/** A driver of a schema of its own in the Postgres of the test run, closed when the test ends. */
export function openPostgresDriver(
  tables: Schema,
  {
    url = inject("postgresUrl"),
    schema = `test_${randomUUID().replaceAll("-", "")}`,
  }: { url?: string; schema?: string } = {},
) {
  const { lines, log } = recordedLog();
  const driver = new PostgresDriver({ url, schema, tables, log });
  onTestFinished(() => driver.close());
  return { driver, schema, lines };
}

/** What the tests of both engines need. */
export interface OpenedDriver {
  driver: Driver;
  lines: LogLine[];
  /** Opens the same store as another process does. */
  another(tables?: Schema): Driver;
}

/** For `describe.each`: each engine's name, and how to open a new store of it. */
export const drivers: [name: string, open: (tables: Schema) => OpenedDriver][] = [
  [
    "SQLite",
    (tables) => {
      const { file, ...opened } = openSqliteDriver(tables);
      return { ...opened, another: (its = tables) => openSqliteDriver(its, { file }).driver };
    },
  ],
  [
    "Postgres",
    (tables) => {
      const { schema, ...opened } = openPostgresDriver(tables);
      return { ...opened, another: (its = tables) => openPostgresDriver(its, { schema }).driver };
    },
  ],
];
