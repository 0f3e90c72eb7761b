import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, Suite, TestCase, TestError } from "playwright/types/testReporter";
import { fault } from "../test-results.ts";

/**
 * Writes `Counts` as JSON into the file that RESULTS_FILE names. A flaky test has failed, and so has
 * a file that can't be loaded, or a worker that can't end.
 */
export default class ResultsReporter implements Reporter {
  #suite: Suite | undefined;
  #errors: TestError[] = [];

  onBegin(_config: unknown, suite: Suite) {
    this.#suite = suite;
  }

  /** @param error outside any test */
  onError(error: TestError) {
    this.#errors.push(error);
  }

  onEnd() {
    const tests = this.#suite?.allTests() ?? [];
    const withOutcome = (...outcomes: string[]) =>
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

function nameOf(test: TestCase) {
  const [, project, , ...titles] = test.titlePath();
  const { file, line } = test.location;
  return `[${project}] ${relative(process.cwd(), file)}:${line} › ${titles.join(" › ")}`;
}

/** @param error has a `value` where no error was thrown */
function reasonOf({ message, value, location }: TestError) {
  const at = location && `at ${location.file}:${location.line}:${location.column}`;
  return [message ?? value, at].filter(Boolean).join("\n");
}
