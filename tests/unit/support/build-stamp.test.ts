import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { buildIsStale, sourceHash, writeStamp } from "@/tests/support/build-stamp";
import { temporaryFolder, writeIn } from "@/tests/support/folders";

let root: string;

const write = (path: string, text: string) => writeIn(root, path, text);

beforeEach(() => {
  root = temporaryFolder({ "pages/index.tsx": "home", "package-lock.json": "{}" });
});

test.each([
  ["a changed page", "pages/index.tsx"],
  ["a new file in a folder nobody named", "features/cart/list.tsx"],
  ["a changed lockfile", "package-lock.json"],
  ["a changed Next configuration", "next.config.js"],
  ["a public file without an extension", "public/humans"],
])("%s changes the hash", (_, path) => {
  const before = sourceHash(root, {});
  write(path, "changed");
  expect(sourceHash(root, {})).not.toBe(before);
});

test.each([
  "tests/unit/a.test.ts",
  "test-results/a/error-context.md",
  "scripts/first-load.ts",
  "docs/a.md",
  "README.md",
  "up.log",
  "data/outbox.db",
  "elsewhere/outbox.db",
  "node_modules/next/package.json",
  ".next/BUILD_ID",
  ".git/HEAD",
  "next-env.d.ts",
  "vitest.config.ts",
  "playwright.config.ts",
  "biome.json",
])("%s does not change the hash", (path) => {
  const env = path.startsWith("elsewhere") ? { DATA_DIR: join(root, "elsewhere") } : {};
  const before = sourceHash(root, env);
  write(path, "changed");
  expect(sourceHash(root, env)).toBe(before);
});

test("moving a file changes the hash", () => {
  const before = sourceHash(root, {});
  rmSync(join(root, "pages/index.tsx"));
  write("pages/other.tsx", "home");
  expect(sourceHash(root, {})).not.toBe(before);
});

test.each(["NEXT_PUBLIC_BASE_PATH", "NEXT_PUBLIC_ANYTHING", "SENTRY_AUTH_TOKEN", "SOURCE_MAPS"])(
  "%s changes the hash, and counts as not set when it is empty",
  (name) => {
    const before = sourceHash(root, {});
    expect(sourceHash(root, { [name]: "x" })).not.toBe(before);
    expect(sourceHash(root, { [name]: "" })).toBe(before);
  },
);

test("a run-time variable does not change the hash", () => {
  expect(sourceHash(root, { SENTRY_DSN: "x", PORT: "1" })).toBe(sourceHash(root, {}));
});

test("a build is stale until its stamp is written, and again once the sources change", () => {
  const dist = join(root, ".next");
  const hash = sourceHash(root, {});
  expect(buildIsStale(dist, hash)).toBe(true);
  write(".next/BUILD_ID", "one");
  expect(buildIsStale(dist, hash)).toBe(true);
  writeStamp(dist, hash);
  expect(buildIsStale(dist, hash)).toBe(false);
  write("pages/index.tsx", "changed");
  expect(buildIsStale(dist, sourceHash(root, {}))).toBe(true);
});
