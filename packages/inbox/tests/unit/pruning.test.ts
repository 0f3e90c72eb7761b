import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { inbox } from "@/packages/inbox/src/index";
import { filerOf } from "@/packages/inbox/tests/support/inbox";
import { relay, relayParts } from "@/packages/sentry/src/server/relay";
import { openOutbox } from "@/tests/support/outboxes";
import { errorEnvelope } from "@/tests/support/sdk-envelopes";

const folder = mkdtempSync(join(tmpdir(), "signpost-"));

afterAll(async () => {
  await relay().close();
  rmSync(folder, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

test("what was filed before a service was configured is removed in the time that an operator has set", async () => {
  vi.stubEnv("DATA_DIR", folder);
  vi.stubEnv("SENTRY_DSN", "http://key@127.0.0.1:9/1");
  vi.stubEnv("INBOX_RETENTION_DAYS", "3");
  vi.stubEnv("INBOX_REPORT_RETENTION_DAYS", "2");
  const { outbox: earlier } = openOutbox({ file: join(folder, "outbox.db") });
  await earlier.append(errorEnvelope(undefined, "first"), "browser");
  await earlier.close();
  relayParts().destination = inbox();
  for (const message of ["old", "new"]) {
    await relay().outbox.append(errorEnvelope(undefined, message), "browser");
  }
  await filerOf(relay().outbox).file();
  const { driver } = relay().outbox;
  const before = (days: number) => Date.now() - days * 24 * 3_600_000;
  await driver.transaction([
    { text: "update {errors} set seen_at = $1 where message = 'old'", values: [before(3.1)] },
    { text: "update {errors} set seen_at = $1 where message = 'new'", values: [before(2.9)] },
    { text: "update {kept_reports} set kept_at = $1", values: [before(2.1)] },
  ]);
  await relay().start();
  await expect
    .poll(() => driver.read({ text: "select message from {errors}" }))
    .toEqual([{ message: "new" }]);
  await expect
    .poll(() => driver.read({ text: "select report_id from {kept_reports}" }))
    .toEqual([]);
});
