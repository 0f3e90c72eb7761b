import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { startPruning } from "@/lib/inbox/inbox-singleton";
import { inboxTables } from "@/lib/inbox/tables";
import { addTables, outbox } from "@/lib/sentry/src/relay/outbox/outbox-singleton";
import { filerOf } from "@/tests/support/inbox";
import { errorEnvelope } from "@/tests/support/sdk-envelopes";

const folder = mkdtempSync(join(tmpdir(), "signpost-"));

afterAll(async () => {
  await outbox().close();
  rmSync(folder, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

test("what was filed before a service was configured is removed in its time", async () => {
  vi.stubEnv("DATA_DIR", folder);
  vi.stubEnv("SENTRY_DSN", "http://key@127.0.0.1:9/1");
  addTables(inboxTables);
  for (const message of ["old", "new"]) {
    await outbox().append(errorEnvelope(undefined, message), "browser");
  }
  await filerOf(outbox()).file();
  const { driver } = outbox();
  const monthAgo = Date.now() - 31 * 24 * 3_600_000;
  await driver.transaction([
    { text: "update {errors} set seen_at = $1 where message = 'old'", values: [monthAgo] },
  ]);
  startPruning();
  await expect
    .poll(() => driver.read({ text: "select message from {errors}" }))
    .toEqual([{ message: "new" }]);
});
