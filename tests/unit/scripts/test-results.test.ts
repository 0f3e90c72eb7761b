import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { playwrightResult, summary, vitestResult } from "@/scripts/test-results.js";

function report(contents: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), "signpost-results-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "report.json"), JSON.stringify(contents));
  return join(folder, "report.json");
}

test("the last line is the sum over all steps", () => {
  const { lines, failed } = summary([
    { name: "lint", passed: 1, failed: 0 },
    { name: "unit", passed: 20, failed: 2 },
  ]);
  expect(lines.at(-1)).toBe("21 passed, 2 failed");
  expect(failed).toBe(2);
});

test("skipped tests are told on the step's own line", () => {
  const { lines } = summary([{ name: "unit", passed: 20, failed: 0, skipped: 3 }]);
  expect(lines).toEqual(["unit: 20 passed, 0 failed, 3 skipped", "20 passed, 0 failed"]);
});

test("a step that took time says how long", () => {
  const { lines } = summary([{ name: "lint", passed: 1, failed: 0, seconds: 1.6 }]);
  expect(lines).toEqual(["lint: 1 passed, 0 failed (2 s)", "1 passed, 0 failed"]);
});

test("Vitest's report is counted", () => {
  const path = report({ numPassedTests: 7, numFailedTests: 1, numPendingTests: 2 });
  expect(vitestResult(path, 1)).toMatchObject({ passed: 7, failed: 1, skipped: 2 });
});

test("Playwright's report is counted, and a flaky test has failed", () => {
  const path = report({ stats: { expected: 7, unexpected: 1, flaky: 1, skipped: 2 } });
  expect(playwrightResult(path, 1)).toMatchObject({ passed: 7, failed: 2, skipped: 2 });
});

test.each([vitestResult, playwrightResult])(
  "a crash without a report is a failure (%o)",
  (count) => {
    expect(count("/nowhere/report.json", 1)).toMatchObject({ passed: 0, failed: 1 });
  },
);

test("a failing exit code is a failure though every test passed", () => {
  expect(vitestResult(report({ numPassedTests: 7 }), 1)).toMatchObject({ passed: 7, failed: 1 });
});

test("a report without a single test is a failure", () => {
  expect(vitestResult(report({}), 0)).toMatchObject({ passed: 0, failed: 1 });
});
