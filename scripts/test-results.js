import { existsSync, readFileSync } from "node:fs";

/**
 * @typedef {{ passed: number, failed: number, skipped?: number }} Counts
 * @typedef {Counts & { name: string, seconds?: number }} Result what came of a step
 */

/**
 * A step that failed without naming a failed test, or ran no test at all, counts as one failed
 * test, so that a crash never looks like a success.
 *
 * @param {Counts} counted
 * @param {number} code the step's exit code
 * @returns {Counts}
 */
function withCrash(counted, code) {
  const saysNothing = counted.failed === 0 && (code !== 0 || counted.passed === 0);
  return saysNothing ? { ...counted, failed: 1 } : counted;
}

/** @param {string} path */
function readReport(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
}

/**
 * @param {string} path of the report of Vitest's `json` reporter: https://vitest.dev/guide/reporters#json-reporter
 * @param {number} code
 * @returns {Counts}
 */
export function vitestResult(path, code) {
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0 } = readReport(path);
  return withCrash(
    { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests },
    code,
  );
}

/**
 * @param {string} path of the report of Playwright's `json` reporter: https://playwright.dev/docs/test-reporters#json-reporter
 * @param {number} code
 * @returns {Counts}
 */
export function playwrightResult(path, code) {
  const { expected = 0, unexpected = 0, flaky = 0, skipped = 0 } = readReport(path).stats ?? {};
  return withCrash({ passed: expected, failed: unexpected + flaky, skipped }, code);
}

/**
 * @param {Result[]} results
 * @returns {{ lines: string[], failed: number }} a line for each step, and the sum as the last
 */
export function summary(results) {
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  const lines = results.map(({ name, seconds, ...counts }) => {
    const skipped = counts.skipped ? `, ${counts.skipped} skipped` : "";
    const time = seconds === undefined ? "" : ` (${Math.round(seconds)} s)`;
    return `${name}: ${counts.passed} passed, ${counts.failed} failed${skipped}${time}`;
  });
  return { lines: [...lines, `${passed} passed, ${failed} failed`], failed };
}
