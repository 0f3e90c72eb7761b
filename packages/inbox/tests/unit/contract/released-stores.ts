import { randomUUID } from "node:crypto";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { temporaryFolder } from "@/tests/support/folders";
import { type OutboxSetting, openOutbox, openPostgresOutbox } from "@/tests/support/outboxes";
import { runSql } from "@/tests/support/postgres.js";

/** What a release has left behind: see the README.md there. */
const folder = "tests/fixtures/stores/0.1.0";

/** A server of that release: see store-server.ts. */
export const releasedServer = join(folder, "server.mjs");

/** For `describe.each`: each engine's name, and how to copy the store of the release, to be opened as often as is wanted. */
export const releasedStores: [
  name: string,
  copy: () => Promise<
    (setting?: OutboxSetting) => ReturnType<typeof openOutbox | typeof openPostgresOutbox>
  >,
][] = [
  [
    "SQLite",
    async () => {
      const copy = temporaryFolder();
      cpSync(join(folder, "data"), copy, { recursive: true });
      return (setting) => openOutbox({ ...setting, file: join(copy, "outbox.db") });
    },
  ],
  [
    "Postgres",
    async () => {
      const schema = `test_${randomUUID().replaceAll("-", "")}`;
      const dump = readFileSync(join(folder, "dump.sql"), "utf8");
      await runSql(
        inject("postgresUrl"),
        dump
          .replaceAll("CREATE SCHEMA signpost", `CREATE SCHEMA ${schema}`)
          .replaceAll("signpost.signpost_", `${schema}.signpost_`),
      );
      return (setting) => openPostgresOutbox({ ...setting, schema });
    },
  ],
];
