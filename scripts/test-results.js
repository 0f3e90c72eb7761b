import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

/**
 * @typedef {{ passed: number, failed: number, skipped?: number, faults?: string[] }} Counts
 *   `faults` names each test that failed, and says why
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

/** So that a long difference does not hide the other faults. */
const linesOfAFault = 30;

/** @param {string} path */
function readReport(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
}

/**
 * @param {string} test
 * @param {string[]} messages may hold colour codes
 */
function fault(test, messages) {
  const lines = messages.flatMap((message) => stripVTControlCharacters(message).split("\n"));
  const shown = lines.slice(0, linesOfAFault).map((line) => `    ${line}`);
  return [`✘ ${test}`, ...shown].join("\n");
}

/**
 * @typedef {{ fullName: string, status: string, failureMessages?: string[] }} VitestTest
 * @typedef {{ name: string, status: string, message?: string, assertionResults: VitestTest[] }} VitestFile
 *   `message` says why the file could not be run
 *
 * @param {VitestFile} file
 * @returns {string[]}
 */
function vitestFaults({ name, status, message, assertionResults }) {
  const path = relative(process.cwd(), name);
  const failed = assertionResults.filter((test) => test.status === "failed");
  if (failed.length === 0 && status === "failed") return [fault(path, [message ?? ""])];
  return failed.map((test) => fault(`${path} › ${test.fullName}`, test.failureMessages ?? []));
}

/**
 * @typedef {{ errors: { message?: string }[] }} PlaywrightResult one try
 * @typedef {{ projectName: string, status: string, results: PlaywrightResult[] }} PlaywrightTest
 * @typedef {{ title: string, file: string, line: number, tests: PlaywrightTest[] }} PlaywrightSpec
 * @typedef {{ specs: PlaywrightSpec[], suites?: PlaywrightSuite[] }} PlaywrightSuite
 *
 * @param {PlaywrightSuite} suite
 * @returns {string[]}
 */
function playwrightFaults({ specs, suites = [] }) {
  const own = specs.flatMap(({ title, file, line, tests }) =>
    tests
      .filter(({ status }) => status === "unexpected" || status === "flaky")
      .map(({ projectName, results }) => {
        const errors = results.flatMap((result) => result.errors);
        const messages = errors.map((error) => error.message ?? "");
        return fault(`[${projectName}] ${file}:${line} › ${title}`, messages);
      }),
  );
  return [...own, ...suites.flatMap(playwrightFaults)];
}

/**
 * @param {string} path of the report of Vitest's `json` reporter: https://vitest.dev/guide/reporters#json-reporter
 * @param {number} code
 * @returns {Counts}
 */
export function vitestResult(path, code) {
  const {
    numPassedTests = 0,
    numFailedTests = 0,
    numPendingTests = 0,
    testResults = [],
  } = readReport(path);
  return withCrash(
    {
      passed: numPassedTests,
      failed: numFailedTests,
      skipped: numPendingTests,
      faults: testResults.flatMap(vitestFaults),
    },
    code,
  );
}

/**
 * @param {string} path of the report of Playwright's `json` reporter: https://playwright.dev/docs/test-reporters#json-reporter
 * @param {number} code
 * @returns {Counts}
 */
export function playwrightResult(path, code) {
  const { stats = {}, suites = [] } = readReport(path);
  const { expected = 0, unexpected = 0, flaky = 0, skipped = 0 } = stats;
  const faults = suites.flatMap(playwrightFaults);
  return withCrash({ passed: expected, failed: unexpected + flaky, skipped, faults }, code);
}

/**
 * @param {Result[]} results
 * @returns {{ lines: string[], failed: number }} what failed, a line for each step, and the sum as
 *   the last line
 */
export function summary(results) {
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
