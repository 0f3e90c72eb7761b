import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Runs `npm test` in a folder. Its output is shown, too.
 *
 * @param {string} folder
 * @returns {Promise<{ failures: string[], failed: number }>}
 */
export async function testRun(folder) {
  const child = spawn("npm", ["test"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
    process.stdout.write(text);
  });
  await once(child, "close");
  return readSummary(output);
}

/**
 * What the summary at the end of `npm test` says (tests/support/test-results.ts).
 *
 * @param {string} output
 * @returns {{ failures: string[], failed: number }} each failed test with its message, and how many
 *   failed, named or not
 * @throws where there is no summary
 */
export function readSummary(output) {
  const [, failed] = /^\d+ passed, (\d+) failed$/m.exec(output) ?? [];
  if (failed === undefined) throw new Error("npm test ended without a summary");
  const failures = output.match(/^✘ .*(?:\n {4}.*|\n(?=\n* {4}))*/gm) ?? [];
  return { failures, failed: Number(failed) };
}

/**
 * The failed tests whose message holds none of these.
 *
 * @param {string[]} failures
 * @param {RegExp[]} messages
 */
export function unexplained(failures, messages) {
  return failures.filter((text) => !messages.some((message) => message.test(text)));
}

/**
 * Whether no failed test says so.
 *
 * @param {string[]} failures
 * @param {RegExp} message
 */
export function isMissed(failures, message) {
  return !failures.some((text) => message.test(text));
}
