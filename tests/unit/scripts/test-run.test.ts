import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { TestRun } from "@/scripts/test-run";

function startRun(): TestRun {
  const run = new TestRun();
  onTestFinished(() => run.close());
  return run;
}

test("a step counts as one test, by its exit code", async () => {
  const run = startRun();
  expect(await run.step("good", async () => 0)).toBe(true);
  expect(await run.step("bad", async () => 2)).toBe(false);
  expect(run.results).toMatchObject([
    { name: "good", passed: 1, failed: 0 },
    { name: "bad", passed: 0, failed: 1 },
  ]);
  expect([run.hasPassed("good"), run.hasPassed("bad"), run.hasPassed("other")]).toEqual([
    true,
    false,
    false,
  ]);
});

test("a step that writes a report counts what stands in it", async () => {
  const run = startRun();
  const given: string[] = [];
  const action = async (report: string) => {
    given.push(report);
    return 1;
  };
  await run.step("many", action, (report, code) => {
    given.push(report);
    return { passed: 5, failed: code };
  });
  expect(run.results).toMatchObject([{ name: "many", passed: 5, failed: 1 }]);
  expect(given[0]).toBe(given[1]);
});

test("what stops a run has failed, where no step has counted it", () => {
  const run = startRun();
  expect(run.stop("The build failed.")).toBe(false);
  expect(run.results).toEqual([]);
  run.stop("There is no browser.", "browser");
  expect(run.results).toEqual([{ name: "browser", passed: 0, failed: 1 }]);
});

test("the reports are gone at the end", async () => {
  const run = startRun();
  let folder = "";
  await run.step("one", async (report) => {
    folder = dirname(report);
    return 0;
  });
  expect(existsSync(folder)).toBe(true);
  run.close();
  expect(existsSync(folder)).toBe(false);
});

test("a part of what runs as a whole is refused, with the commands that run one", () => {
  const args = ["scripts/test.ts", "tests/unit/sum.test.ts"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(stderr).toBe(
    "This command runs all its tests, and can't use tests/unit/sum.test.ts. For a part of them: npm run unit -- <file>, or npm run e2e -- <file>.\n",
  );
  expect([status, stdout]).toEqual([1, ""]);
});
