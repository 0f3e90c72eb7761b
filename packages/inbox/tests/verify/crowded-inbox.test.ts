import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { filedBounds } from "@/packages/inbox/src/pruning";
import { temporaryFolder } from "@/tests/support/outboxes";
import { bundleProcess } from "@/tests/support/tunnel-processes";
import type { InboxFigures } from "./inbox-process";

const run = promisify(execFile);

test("an inbox full of the worst reports opens and refreshes in half a gigabyte", async () => {
  const file = join(temporaryFolder(), "outbox.db");
  const script = await bundleProcess("packages/inbox/tests/verify/inbox-process.ts");
  const env = { ...process.env, NODE_ENV: "production" as const };
  const args = ["--max-old-space-size=256", script, file];
  const { stdout } = await run(process.execPath, args, { env });
  console.info(stdout);
  const figures: InboxFigures = JSON.parse(stdout);
  expect(figures.reports).toBeGreaterThan(0.9 * filedBounds.kept_reports.count);
  expect(figures.errors).toBeGreaterThan(5000);
  expect(figures.measurements).toBeGreaterThan(10_000);
  expect(figures.heapMb).toBeLessThan(200);
  expect(figures.rssMb).toBeLessThan(400);
});
