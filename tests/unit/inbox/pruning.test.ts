import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { inbox, startFiling } from "@/lib/inbox/inbox-singleton";
import { outbox, outboxEngine } from "@/lib/outbox/outbox-singleton";
import { errorEnvelope } from "@/tests/support/sdk-envelopes";

const folder = mkdtempSync(join(tmpdir(), "signpost-"));

afterAll(async () => {
  await outboxEngine().close();
  rmSync(folder, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

test("what was filed before a service was configured is removed in its time", async () => {
  vi.stubEnv("DATA_DIR", folder);
  vi.stubEnv("SENTRY_DSN", "http://key@127.0.0.1:9/1");
  const { rows } = outbox();
  for (const message of ["old", "new"]) {
    await outbox().append(errorEnvelope(undefined, message), "browser");
  }
  await inbox().filer.file();
  const monthAgo = (await rows.now()) - 31 * 24 * 3_600_000;
  await rows.change([
    { text: "update {errors} set seen_at = $1 where message = 'old'", values: [monthAgo] },
  ]);
  startFiling();
  await expect
    .poll(() => rows.select({ text: "select message from {errors}" }))
    .toEqual([{ message: "new" }]);
});
