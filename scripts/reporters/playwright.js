import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fault } from "../test-results.js";

/**
 * @typedef {import("playwright/types/testReporter").Reporter} Reporter
 * @typedef {import("playwright/types/testReporter").Suite} Suite
 * @typedef {import("playwright/types/testReporter").TestCase} TestCase
 * @typedef {import("playwright/types/testReporter").TestError} TestError
 */

/**
 * Writes `Counts` as JSON into the file that RESULTS_FILE names. A flaky test has failed, and so has
 * a file that can't be loaded, or a worker that can't end.
 *
 * @implements {Reporter}
 */
export default class ResultsReporter {
  /** @type {Suite | undefined} */
  #suite;
  /** @type {TestError[]} */
  #errors = [];

  /**
   * @param {unknown} _config
   * @param {Suite} suite
   */
  onBegin(_config, suite) {
    this.#suite = suite;
  }

  /** @param {TestError} error outside any test */
  onError(error) {
    this.#errors.push(error);
  }

  onEnd() {
    const tests = this.#suite?.allTests() ?? [];
    const withOutcome = (/** @type {string[]} */ ...outcomes) =>
      tests.filter((test) => outcomes.includes(test.outcome()));
    const faults = [
      ...this.#errors.map((error) => fault("outside any test", [reasonOf(error)])),
      ...withOutcome("unexpected", "flaky").map((test) =>
        fault(
          nameOf(test),
          test.results.flatMap(({ errors }) => errors.map(reasonOf)),
        ),
      ),
    ];
    const passed = withOutcome("expected").length;
    const skipped = withOutcome("skipped").length;
    const counts = { passed, failed: faults.length, skipped, faults };
    writeFileSync(process.env.RESULTS_FILE ?? "", JSON.stringify(counts));
  }

  printsToStdio() {
    return false;
  }
}

/** @param {TestCase} test */
function nameOf(test) {
  const [, project, , ...titles] = test.titlePath();
  const { file, line } = test.location;
  return `[${project}] ${relative(process.cwd(), file)}:${line} › ${titles.join(" › ")}`;
}

/** @param {TestError} error has a `value` where no error was thrown */
function reasonOf({ message, value, location }) {
  const at = location && `at ${location.file}:${location.line}:${location.column}`;
  return [message ?? value, at].filter(Boolean).join("\n");
}
