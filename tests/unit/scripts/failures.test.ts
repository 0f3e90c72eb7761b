import { expect, test } from "vitest";
import { fault, summary } from "@/tests/support/test-results";
import { isMissed, readSummary, unexplained } from "@/tests/takeover/failures.js";

const faults = [
  fault("[own] tests/e2e/own/every-page.spec.ts:9 › is accessible", ["Error: two h1", "", "at x"]),
  fault("tests/unit/sum.test.ts › adds", ["Error: 2 is not 3\n\n  ✘ no heading of its own\n"]),
];

/** What `npm test` prints of two failed tests and a failed step that names none. */
const output = [
  "  ✘  1 [own] › tests/e2e/own/every-page.spec.ts:9 › is accessible (1.0s)",
  "",
  ...summary([
    { name: "lint", passed: 0, failed: 1 },
    { name: "unit", passed: 3, failed: 2, faults },
  ]).lines,
  "",
].join("\n");

test("the summary of npm test is read: each failed test with its message, and how many failed", () => {
  expect(readSummary(output)).toEqual({ failures: faults.map((one) => one.trimEnd()), failed: 3 });
});

test("output without a summary is refused", () => {
  expect(() => readSummary("Killed")).toThrow("npm test ended without a summary");
});

test("a failure that no message explains is told from the others, and a message that no failure has", () => {
  const { failures } = readSummary(output);
  expect(unexplained(failures, [/two h1/])).toEqual([expect.stringContaining("2 is not 3")]);
  expect(unexplained(failures, [/two h1/, /is not 3/])).toEqual([]);
  expect(isMissed(failures, /two h1/)).toBe(false);
  expect(isMissed(failures, /script-src/)).toBe(true);
});
