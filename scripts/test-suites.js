import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { installIfStale } from "./install.js";
import { environmentWith, nodeFromNpm, nodePackage } from "./node-from-npm.cjs";
import { npm, run } from "./run.js";
import { readResults } from "./test-results.js";

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
  await run.step("unit and component tests", (report) => vitest("unit", report), readResults);
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
  if (!(await install(run))) return false;
  await run.step("slow unit tests", (report) => vitest("slow-unit", report), readResults);
  for (const version of otherNodes) await unitTestsOn(run, version);
  if (!(await build(run))) return false;
  await run.step("attacks", (report) => vitest("abuse", report), readResults);
  const projects = ["own-verify", "default-verify", "shell-verify"];
  return (await endToEnd(run, "more end-to-end tests", projects)) && otherBrowsers(run);
}

/** Beside the one that this runs under: the oldest and the newest that Signpost runs on. */
const otherNodes = ["22", "26"].filter(
  (version) => !process.versions.node.startsWith(`${version}.`),
);

/**
 * @param {TestRun} run
 * @param {string} version of the Node that the tests run under
 */
function unitTestsOn(run, version) {
  return run.step(
    `unit and component tests on Node ${version}`,
    async (report) => {
      const node = nodeFromNpm(version);
      if (node) return vitest("unit", report, environmentWith(node));
      console.error(`Node ${version} could not be had from npm (${nodePackage()}).`);
      return 1;
    },
    readResults,
  );
}

/**
 * What depends on the browser, in Firefox and WebKit, where Playwright has installed them.
 *
 * @param {TestRun} run
 */
async function otherBrowsers(run) {
  const { firefox, webkit } = await import("playwright");
  for (const browser of [firefox, webkit]) {
    const name = browser.name();
    if (existsSync(browser.executablePath())) await playwright(run, `tests in ${name}`, [name]);
    else {
      console.log(
        `\nNot tested in ${name}: it is not installed. npx playwright install --with-deps ${name}`,
      );
    }
  }
  return true;
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
  await playwright(run, name, projects, { CHROMIUM_PATH: browser });
  return true;
}

/**
 * @param {TestRun} run
 * @param {string} name
 * @param {string[]} projects of playwright.config.ts
 * @param {Record<string, string>} [env]
 */
function playwright(run, name, projects, env) {
  const names = projects.map((project) => `--project=${project}`);
  return run.step(
    name,
    (report) =>
      npm(
        ["exec", "--", "playwright", "test", `--reporter=list,${reporter("playwright")}`, ...names],
        {
          ...env,
          RESULTS_FILE: report,
        },
      ),
    readResults,
  );
}

/**
 * @param {"unit" | "slow-unit" | "abuse"} command
 * @param {string} report
 * @param {Record<string, string | undefined>} [env]
 */
function vitest(command, report, env) {
  const reporters = ["--reporter=default", `--reporter=${reporter("vitest")}`];
  return npm(["run", "--silent", command, "--", ...reporters], { ...env, RESULTS_FILE: report });
}

/** @param {"vitest" | "playwright"} tool */
function reporter(tool) {
  return fileURLToPath(new URL(`./reporters/${tool}.js`, import.meta.url));
}

/** @param {string} path */
function script(path) {
  return run(process.execPath, [path]);
}
