import { existsSync, readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

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
export function fault(what: string, messages: string[]) {
  const lines = messages.flatMap((message) => stripVTControlCharacters(message).split("\n"));
  const shown = lines.length > maxLines ? [...lines.slice(0, maxLines), "…"] : lines;
  return [`✘ ${what}`, ...shown.map((line) => `    ${line}`.trimEnd())].join("\n");
}

/**
 * Reads what one of the reporters in scripts/reporters has written. A step that failed without
 * naming a failed test, or ran no test at all, counts as one failed test, so that a crash never
 * looks like a success.
 *
 * @param code the step's exit code
 */
export function readResults(path: string, code: number): Counts {
  const counts: Counts = existsSync(path)
    ? JSON.parse(readFileSync(path, "utf8"))
    : { passed: 0, failed: 0 };
  const saysNothing = counts.failed === 0 && (code !== 0 || counts.passed === 0);
  return saysNothing ? { ...counts, failed: 1 } : counts;
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
