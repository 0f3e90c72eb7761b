import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));

test.each(Object.entries(scripts))("npm run %s is the same in every shell", (name, line) => {
  expect(line).toBe(`node scripts/run.cjs ${name}`);
});

test.each(["test", "verify"])("a part of %s is refused, with the commands that run one", (name) => {
  const args = ["scripts/run.cjs", name, "tests/unit/sum.test.ts"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(stderr).toBe(
    "This command runs all its tests, and can't use tests/unit/sum.test.ts. For a part of them: npm run unit -- <file>, or npm run e2e -- <file>.\n",
  );
  expect([status, stdout]).toEqual([1, ""]);
});

test("what CI runs begins with the same script", () => {
  const [, script = ""] = /node (\S+) ci$/m.exec(readFileSync(".ci/run", "utf8")) ?? [];
  expect(existsSync(script)).toBe(true);
});
