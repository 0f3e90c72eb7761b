import { installIfStale } from "./install.js";
import { npm, run } from "./run.js";
import { playwrightResult, vitestResult } from "./test-results.js";

/** @typedef {import("./test-run.js").TestRun} TestRun */

/**
 * What must pass before a change goes in: `npm test`.
 *
 * @param {TestRun} run
 */
export async function testSuite(run) {
  if (!(await install(run))) return false;
  await run.step("consistency", () => npm(["run", "--silent", "consistency"]));
  await run.step("lint", () => npm(["run", "--silent", "lint"]));
  await run.step("types", () => npm(["run", "--silent", "types"]));
  await run.step("unit and component tests", vitest, vitestResult);
  return (
    (await build(run)) && (await endToEnd(run, "end-to-end tests", ["own", "default", "shell"]))
  );
}

/**
 * What takes longer, and seldom fails by itself: `npm run verify`.
 *
 * @param {TestRun} run
 */
export async function verifySuite(run) {
  if (!(await install(run)) || !(await build(run))) return false;
  return endToEnd(run, "more end-to-end tests", ["own-verify", "default-verify", "shell-verify"]);
}

/** @param {TestRun} run */
async function install(run) {
  if ((await installIfStale()) === 0) return true;
  return run.stop("The packages could not be installed, so nothing else can run.", "install");
}

/**
 * Both suites need the builds: the second one finds them made.
 *
 * @param {TestRun} run
 */
async function build(run) {
  const name = "production builds";
  if (run.hasPassed(name)) return true;
  if (await run.step(name, () => script("scripts/variants.js"))) return true;
  return run.stop("Without a build there is nothing to run the end-to-end tests on.");
}

/**
 * @param {TestRun} run
 * @param {string} name
 * @param {string[]} projects of playwright.config.ts
 * @returns {Promise<boolean>} whether they ran
 */
async function endToEnd(run, name, projects) {
  // Imported late: before the installation there is no Playwright.
  const { ensureBrowser } = await import("./browser-install.js");
  const browser = await ensureBrowser();
  if (!browser) {
    return run.stop("Without a browser the end-to-end tests can't run.", "browser");
  }
  const names = projects.map((project) => `--project=${project}`);
  await run.step(
    name,
    (report) =>
      npm(["exec", "--", "playwright", "test", "--reporter=list,json", ...names], {
        CHROMIUM_PATH: browser,
        PLAYWRIGHT_JSON_OUTPUT_FILE: report,
      }),
    playwrightResult,
  );
  return true;
}

/** @param {string} report */
function vitest(report) {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  return npm(["run", "--silent", "unit", "--", ...reporters]);
}

/** @param {string} path */
function script(path) {
  return run(process.execPath, [path]);
}
