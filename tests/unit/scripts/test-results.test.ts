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

test("each test that failed is named before the sums, with its reason", () => {
  const unit = report({
    numFailedTests: 1,
    testResults: [
      {
        name: join(process.cwd(), "tests/unit/a.test.ts"),
        status: "failed",
        assertionResults: [
          { fullName: "adds", status: "passed" },
          {
            fullName: "divides",
            status: "failed",
            failureMessages: ["\u001b[31mby zero\u001b[39m"],
          },
        ],
      },
    ],
  });
  const endToEnd = report({
    stats: { unexpected: 1 },
    suites: [
      {
        specs: [],
        suites: [
          {
            specs: [
              {
                title: "goes back",
                file: "back.spec.ts",
                line: 7,
                tests: [
                  { projectName: "own", status: "expected", results: [{ errors: [] }] },
                  {
                    projectName: "shell",
                    status: "unexpected",
                    results: [{ errors: [{ message: "at the top\nagain" }] }],
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  });
  const { lines } = summary([
    { name: "unit", ...vitestResult(unit, 1) },
    { name: "e2e", ...playwrightResult(endToEnd, 1) },
  ]);
  expect(lines).toEqual([
    "✘ tests/unit/a.test.ts › divides\n    by zero",
    "✘ [shell] back.spec.ts:7 › goes back\n    at the top\n    again",
    "unit: 0 passed, 1 failed",
    "e2e: 0 passed, 1 failed",
    "0 passed, 2 failed",
  ]);
});

test("a test file that could not be run is named with its reason", () => {
  const path = report({
    numFailedTests: 0,
    testResults: [{ name: "broken.test.ts", status: "failed", message: "x", assertionResults: [] }],
  });
  expect(vitestResult(path, 1)).toMatchObject({ failed: 1, faults: ["✘ broken.test.ts\n    x"] });
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
