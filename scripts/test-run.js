import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isInterrupted } from "./run.js";
import { summary } from "./test-results.js";

/** @typedef {import("./test-results.js").Result} Result */

/** The steps of a run, one after another, and what came of each. */
export class TestRun {
  /** @type {Result[]} */
  results = [];
  #folder = mkdtempSync(join(tmpdir(), "signpost-test-"));

  /**
   * Runs a step, and counts it as one test or as the tests in the report that it writes.
   *
   * @param {string} name
   * @param {(report: string) => Promise<number>} action takes the path of the report, gives an exit code
   * @param {(report: string, code: number) => import("./test-results.js").Counts} [count]
   * @returns {Promise<boolean>} whether it passed
   */
  async step(name, action, count) {
    if (isInterrupted()) return false;
    console.log(`\n── ${name}`);
    const report = join(this.#folder, `${this.results.length}.json`);
    const start = Date.now();
    const code = await action(report);
    const seconds = (Date.now() - start) / 1000;
    if (count) this.results.push({ name, ...count(report, code), seconds });
    else if (!isInterrupted()) {
      this.results.push({ name, passed: code ? 0 : 1, failed: code ? 1 : 0, seconds });
    }
    return code === 0;
  }

  /** @param {string} name of a step */
  hasPassed(name) {
    return this.results.some((result) => result.name === name && result.failed === 0);
  }

  /**
   * Says why nothing more can run.
   *
   * @param {string} reason
   * @param {string} [failed] what failed, where no step has counted it
   * @returns {false}
   */
  stop(reason, failed) {
    if (isInterrupted()) return false;
    console.error(reason);
    if (failed) this.results.push({ name: failed, passed: 0, failed: 1 });
    return false;
  }

  /** Removes the reports. */
  close() {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/**
 * Runs suites one after another in the foreground, prints what came of each step, the sum as the
 * last line, and ends the process: with 1 if anything failed.
 *
 * @param {...((run: TestRun) => Promise<boolean>)} suites each says whether the next one can run
 * @returns {Promise<never>}
 */
export async function runSuites(...suites) {
  const run = new TestRun();
  try {
    for (const suite of suites) if (!(await suite(run))) break;
  } catch (error) {
    console.error(error);
    run.results.push({ name: "the test run itself", passed: 0, failed: 1 });
  }
  run.close();
  if (isInterrupted()) run.results.push({ name: "interrupted", passed: 0, failed: 1 });
  const { lines, failed } = summary(run.results);
  console.log(`\n${lines.join("\n")}`);
  process.exit(failed > 0 ? 1 : 0);
}
