import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestModule } from "vitest/node";
import { fault } from "../test-results.ts";

/**
 * Writes `Counts` as JSON into the file that RESULTS_FILE names. Hooks, files that can't be loaded
 * and errors outside any test count as failed tests. Vitest's own `json` reporter leaves their
 * reasons out, and those of tests that took too long.
 */
export default class ResultsReporter implements Reporter {
  /** @param errors outside any test */
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string) => tests.filter((test) => test.result().state === state);
    const faults = [
      ...errors.map((error) => fault("outside any test", [reasonOf(error)])),
      ...modules.flatMap((module) =>
        [module, ...module.children.allSuites()]
          .filter((suite) => suite.errors().length > 0)
          .map((suite) => fault(nameOf(module, suite), suite.errors().map(reasonOf))),
      ),
      ...inState("failed").map((test) =>
        fault(nameOf(test.module, test), (test.result().errors ?? []).map(reasonOf)),
      ),
    ];
    const passed = inState("passed").length;
    const skipped = inState("skipped").length;
    const counts = { passed, failed: faults.length, skipped, faults };
    writeFileSync(process.env.RESULTS_FILE ?? "", JSON.stringify(counts));
  }
}

function nameOf(
  module: TestModule,
  task: { type: "module" } | { fullName: string; type: "suite" | "test" },
) {
  const file = module.relativeModuleId;
  return task.type === "module" ? file : `${file} › ${task.fullName}`;
}

/** @param error its fields are whatever was thrown */
function reasonOf({ name, message, diff, stacks, ...rest }: SerializedError) {
  const [at] = stacks ?? [];
  const parts = [
    message === undefined ? JSON.stringify(rest) : `${name ?? "Error"}: ${message}`,
    diff,
    at && `at ${at.file}:${at.line}:${at.column}`,
  ];
  return parts.filter(Boolean).join("\n");
}
