import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { inbox } from "@/packages/inbox/src/index";
import { inboxTables } from "@/packages/inbox/src/tables";
import { countIn } from "@/packages/inbox/tests/support/inbox";
import { SqliteDriver } from "@/packages/relay/src/outbox/sqlite-driver";
import { relay, relayParts } from "@/packages/sentry/src/server/relay";
import { openOutbox } from "@/tests/support/outboxes";
import { errorEnvelope } from "@/tests/support/sdk-envelopes";

const folder = mkdtempSync(join(tmpdir(), "signpost-"));

afterAll(async () => {
  await relay().close();
  rmSync(folder, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

test("where a service gets the reports, an inbox of another version stops none, and is left alone", async () => {
  const { outbox: before } = openOutbox({ file: join(folder, "outbox.db") });
  await before.append(errorEnvelope(), "browser");
  await before.driver.transaction([
    {
      text: "update {versions} set version = $2 where name = $1",
      values: [inboxTables.name, (inboxTables.migrations.at(-1)?.version ?? 0) + 1],
    },
  ]);
  await before.close();
  vi.stubEnv("DATA_DIR", folder);
  vi.stubEnv("SENTRY_DSN", "http://key@127.0.0.1:9/1");
  const read = vi.spyOn(SqliteDriver.prototype, "read");
  const change = vi.spyOn(SqliteDriver.prototype, "transaction");
  relayParts().destination = inbox();
  await relay().start();
  await Promise.all(read.mock.results.map(({ value }) => value));
  expect(await countIn(relay().outbox, "outbox")).toBe(1);
  expect(JSON.stringify(read.mock.calls)).toContain("{versions}");
  expect(JSON.stringify(change.mock.calls)).not.toMatch(/\{(errors|kept_reports|performance)\}/);
  await relay().outbox.append(errorEnvelope(), "browser");
  expect(await relay().stats.read()).toMatchObject({ writable: true });
  expect(await countIn(relay().outbox, "outbox")).toBe(2);
});
