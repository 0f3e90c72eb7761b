import { expect, test } from "vitest";
import { temporaryFolder, writeIn } from "@/tests/support/folders";
import { fault, readResults, summary } from "@/tests/support/test-results";

function results(contents: unknown): string {
  return writeIn(temporaryFolder(), "results.json", JSON.stringify(contents));
}

test("a step's own line tells skipped tests, and how long it took", () => {
  const { lines } = summary([{ name: "unit", passed: 20, failed: 0, skipped: 3, seconds: 1.6 }]);
  expect(lines).toEqual(["unit: 20 passed, 0 failed, 3 skipped (2 s)", "20 passed, 0 failed"]);
});

test("what failed comes before the sums, the sum over all steps last", () => {
  const { lines, failed } = summary([
    { name: "unit", passed: 1, failed: 1, faults: ["✘ divides"] },
    { name: "e2e", passed: 0, failed: 1, faults: ["✘ goes back"] },
  ]);
  expect(lines).toEqual([
    "✘ divides",
    "✘ goes back",
    "unit: 1 passed, 1 failed",
    "e2e: 0 passed, 1 failed",
    "1 passed, 2 failed",
  ]);
  expect(failed).toBe(2);
});

test("a long message is cut, and says so", () => {
  const lines = fault("counts", [Array.from({ length: 100 }, (_, i) => i).join("\n")]).split("\n");
  expect(lines.slice(0, 2)).toEqual(["✘ counts", "    0"]);
  expect(lines.slice(-2)).toEqual(["    29", "    …"]);
});

test("a step without a report counts as one test, by its exit code", () => {
  expect(readResults("/nowhere/results.json", 1)).toEqual({ passed: 0, failed: 1 });
  expect(readResults("/nowhere/results.json", 0)).toEqual({ passed: 1, failed: 0 });
});

const none = { numPassedTests: 0, numPendingTests: 0, testResults: [] };

test("a failing exit code is a failure though every test passed", () => {
  const path = results({ ...none, numPassedTests: 7 });
  expect(readResults(path, 1)).toMatchObject({ passed: 7, failed: 1 });
});

test("results without a single test are a failure", () => {
  expect(readResults(results(none), 0)).toMatchObject({ passed: 0, failed: 1 });
});
