import "./node-version.js";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installIfStale } from "./install.js";
import { isInterrupted, npm, run } from "./run.js";
import { playwrightResult, summary, vitestResult } from "./test-results.js";

/** @type {import("./test-results.js").Result[]} */
const results = [];
const folder = mkdtempSync(join(tmpdir(), "signpost-test-"));

/**
 * Runs a step and counts it as one test, or as the tests in the report it writes.
 *
 * @param {string} name
 * @param {() => Promise<number>} step gives an exit code
 * @param {(code: number) => import("./test-results.js").Result} [count]
 * @returns {Promise<boolean>} whether it passed
 */
async function step(name, step, count) {
  if (isInterrupted()) return false;
  console.log(`\n── ${name}`);
  const code = await step();
  if (count) results.push(count(code));
  else if (!isInterrupted()) results.push({ name, passed: code ? 0 : 1, failed: code ? 1 : 0 });
  return code === 0;
}

async function everything() {
  if ((await installIfStale()) !== 0) {
    return skipped("The packages could not be installed, so nothing else can run.", "install");
  }
  await step("lint", () => npm(["run", "--silent", "lint"]));
  await step("types", () => npm(["run", "--silent", "types"]));
  const unitReport = join(folder, "unit.json");
  await step(
    "unit and component tests",
    () =>
      npm([
        "run",
        "--silent",
        "unit",
        "--",
        "--reporter=default",
        "--reporter=json",
        `--outputFile.json=${unitReport}`,
      ]),
    (code) => vitestResult(unitReport, code),
  );
  const built = await step("production builds", () =>
    run(process.execPath, ["scripts/variants.js"]),
  );
  if (!built) return skipped("Without a build there is nothing to run the end-to-end tests on.");
  const { ensureBrowser } = await import("./browser-install.js");
  const browser = await ensureBrowser();
  if (!browser) return skipped("Without a browser the end-to-end tests can't run.", "browser");
  const e2eReport = join(folder, "e2e.json");
  await step(
    "end-to-end tests",
    () =>
      npm(["exec", "--", "playwright", "test", "--reporter=list,json"], {
        CHROMIUM_PATH: browser,
        PLAYWRIGHT_JSON_OUTPUT_FILE: e2eReport,
      }),
    (code) => playwrightResult(e2eReport, code),
  );
}

/**
 * @param {string} reason
 * @param {string} [step] what failed, where that was not counted yet
 */
function skipped(reason, step) {
  if (isInterrupted()) return;
  console.error(reason);
  if (step) results.push({ name: step, passed: 0, failed: 1 });
}

try {
  await everything();
} catch (error) {
  console.error(error);
  results.push({ name: "the test run itself", passed: 0, failed: 1 });
}
rmSync(folder, { recursive: true, force: true });
if (isInterrupted()) results.push({ name: "interrupted", passed: 0, failed: 1 });
const { lines, failed } = summary(results);
console.log(`\n${lines.join("\n")}`);
process.exit(failed > 0 ? 1 : 0);
