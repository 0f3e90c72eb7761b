import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { JSONReport, JSONReportSuite } from "playwright/types/testReporter";
import type { JsonTestResults } from "vitest/node";

/** `faults` names what failed and says why. */
export type Counts = { passed: number; failed: number; skipped?: number; faults?: string[] };

/** What came of a step. */
export type Result = Counts & { name: string; seconds?: number };

/** So that one long message does not hide the other faults. */
const maxLines = 30;

/**
 * @param what failed
 * @param messages may hold colour codes
 */
export function fault(what: string, messages: (string | null | undefined)[]) {
  const lines = messages.flatMap((message) => stripVTControlCharacters(message ?? "").split("\n"));
  const shown = lines.length > maxLines ? [...lines.slice(0, maxLines), "…"] : lines;
  return [`✘ ${what}`, ...shown.map((line) => `    ${line}`.trimEnd())].join("\n");
}

/**
 * Reads the report of Vitest or Playwright. Without one, a step counts as one test, by its exit code.
 * A step that failed without naming a failed test, or ran no test at all, counts as one failed test,
 * so that a crash never looks like a success.
 *
 * @param code the step's exit code
 */
export function readResults(path: string, code: number): Counts {
  if (!existsSync(path)) return { passed: code ? 0 : 1, failed: code ? 1 : 0 };
  const report = JSON.parse(readFileSync(path, "utf8"));
  const counts = "testResults" in report ? ofVitest(report) : ofPlaywright(report);
  const saysNothing = counts.failed === 0 && (code !== 0 || counts.passed === 0);
  return saysNothing ? { ...counts, failed: 1 } : counts;
}

/** A file that can't be loaded counts as a failed test, and so does one whose hook fails. */
function ofVitest({ numPassedTests, numPendingTests, testResults }: JsonTestResults): Counts {
  const faults = testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, message, assertionResults }) => {
      const file = relative(process.cwd(), name);
      const failed = assertionResults.filter(({ status }) => status === "failed");
      if (failed.length === 0) return fault(file, [message]);
      return failed.map((test) => fault(`${file} › ${test.fullName}`, test.failureMessages ?? []));
    });
  return { passed: numPassedTests, failed: faults.length, skipped: numPendingTests, faults };
}

/** A flaky test has failed, and so has a file that can't be loaded, or a worker that can't end. */
function ofPlaywright({ stats, errors, suites }: JSONReport): Counts {
  const specsOf = (suite: JSONReportSuite): JSONReportSuite["specs"] => [
    ...suite.specs.map((spec) => ({ ...spec, title: `${suite.title} › ${spec.title}` })),
    ...(suite.suites ?? []).flatMap(specsOf),
  ];
  const faults = [
    ...errors.map(({ message }) => fault("outside any test", [message])),
    ...suites.flatMap(specsOf).flatMap(({ title, file, line, tests }) =>
      tests
        .filter(({ status }) => status === "unexpected" || status === "flaky")
        .map(({ projectName, results }) => {
          const messages = results.flatMap((result) => result.errors.map(({ message }) => message));
          return fault(`[${projectName}] ${file}:${line} › ${title}`, messages);
        }),
    ),
  ];
  return { passed: stats.expected, failed: faults.length, skipped: stats.skipped, faults };
}

/** @returns what failed, a line for each step, and the sum as the last line */
export function summary(results: Result[]): { lines: string[]; failed: number } {
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  const faults = results.flatMap((result) => result.faults ?? []);
  const steps = results.map(({ name, seconds, ...counts }) => {
    const skipped = counts.skipped ? `, ${counts.skipped} skipped` : "";
    const time = seconds === undefined ? "" : ` (${Math.round(seconds)} s)`;
    return `${name}: ${counts.passed} passed, ${counts.failed} failed${skipped}${time}`;
  });
  return { lines: [...faults, ...steps, `${passed} passed, ${failed} failed`], failed };
}
