import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "@/tests/support/folders";
import { runSql } from "@/tests/support/postgres.js";

// deploy/shared-pages.js, of which tests/e2e/takeover has a whole build.

const schema = `shared_${process.pid}`;

// As Node imports it.
vi.mock("next/dist/server/lib/incremental-cache/file-system-cache.js", async (original) => ({
  default: await original(),
}));

/** The cache of one server, and what it has asked the database. */
async function start() {
  const distDir = temporaryFolder();
  mkdirSync(join(distDir, "server"));
  writeFileSync(join(distDir, "BUILD_ID"), "build");
  const manifest = { preview: { previewModeId: "secret" } };
  writeFileSync(join(distDir, "prerender-manifest.json"), JSON.stringify(manifest));
  vi.stubEnv("DATABASE_URL", inject("postgresUrl"));
  vi.stubEnv("DATABASE_SCHEMA", schema);
  onTestFinished(() => void vi.unstubAllEnvs());
  Reflect.deleteProperty(globalThis, Symbol.for("shared-pages"));
  const { default: SharedPages } = await import("@/deploy/shared-pages.js");
  return new SharedPages({
    fs: {},
    flushToDisk: false,
    serverDistDir: join(distDir, "server"),
    _requestHeaders: { "x-prerender-revalidate": "secret" },
  });
}

test("a page that was read is not read again, and a read that fails is said once", async () => {
  await runSql(inject("postgresUrl"), `create schema "${schema}"`);
  const asked = vi.spyOn(pg.Pool.prototype, "query");
  const said = vi.spyOn(console, "warn").mockReturnValue(undefined);
  onTestFinished(() => void vi.restoreAllMocks());
  const one = await start();
  const page = { kind: "PAGES", html: "<p>renewed</p>", pageData: {}, headers: {}, status: 200 };
  await one.set("/shared", page, { isFallback: false });
  await start();
  const reads = (column: RegExp) =>
    asked.mock.calls.filter(([text]) => /^select/.test(String(text)) && column.test(String(text)));
  await expect.poll(() => reads(/\bpage\b/).length).toBeGreaterThanOrEqual(2);
  const before = reads(/./).length;
  // Each of the two has looked again.
  await expect.poll(() => reads(/./).length).toBeGreaterThan(before + 4);
  expect(reads(/\bpage\b/)).toHaveLength(2);
  expect(said).not.toHaveBeenCalled();
  await runSql(inject("postgresUrl"), `drop table "${schema}".shared_pages`);
  await expect.poll(() => said.mock.calls.length).toBe(2);
  const failed = asked.mock.calls.length;
  await expect.poll(() => asked.mock.calls.length).toBeGreaterThan(failed + 4);
  expect(said).toHaveBeenCalledTimes(2);
});
