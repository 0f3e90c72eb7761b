import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isInterrupted } from "./run.ts";
import { type Counts, type Result, summary } from "./test-results.ts";

/** The steps of a run, one after another, and what came of each. */
export class TestRun {
  results: Result[] = [];
  #folder = mkdtempSync(join(tmpdir(), "signpost-test-"));

  /**
   * Runs a step, and counts it as one test or as the tests in the report that it writes.
   *
   * @param action takes the path of the report, gives an exit code
   * @returns whether it passed
   */
  async step(
    name: string,
    action: (report: string) => Promise<number>,
    count?: (report: string, code: number) => Counts,
  ): Promise<boolean> {
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

  /** @param name of a step */
  hasPassed(name: string) {
    return this.results.some((result) => result.name === name && result.failed === 0);
  }

  /**
   * Says why nothing more can run.
   *
   * @param failed what failed, where no step has counted it
   */
  stop(reason: string, failed?: string): false {
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
 * @param suites each says whether the next one can run
 */
export async function runSuites(...suites: ((run: TestRun) => Promise<boolean>)[]): Promise<never> {
  const given = process.argv.slice(2);
  if (given.length > 0) {
    console.error(
      `This command runs all its tests, and can't use ${given.join(" ")}. For a part of them: npm run unit -- <file>, or npm run e2e -- <file>.`,
    );
    process.exit(1);
  }
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
