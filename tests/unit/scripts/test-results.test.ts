import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fault, readResults, summary } from "@/scripts/test-results";

function results(contents: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), "signpost-results-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "results.json"), JSON.stringify(contents));
  return join(folder, "results.json");
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

test("what failed comes before the sums", () => {
  const { lines } = summary([
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
});

test("a long message is cut, and says so", () => {
  const lines = fault("counts", [Array.from({ length: 100 }, (_, i) => i).join("\n")]).split("\n");
  expect(lines.slice(0, 2)).toEqual(["✘ counts", "    0"]);
  expect(lines.slice(-2)).toEqual(["    29", "    …"]);
});

test("a crash without results is a failure", () => {
  expect(readResults("/nowhere/results.json", 1)).toMatchObject({ passed: 0, failed: 1 });
});

test("a failing exit code is a failure though every test passed", () => {
  const path = results({ passed: 7, failed: 0 });
  expect(readResults(path, 1)).toMatchObject({ passed: 7, failed: 1 });
});

test("results without a single test are a failure", () => {
  expect(readResults(results({ passed: 0, failed: 0 }), 0)).toMatchObject({ passed: 0, failed: 1 });
});
