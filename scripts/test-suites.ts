import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { installIfStale } from "./install.ts";
import { environmentWith, nodeFromNpm, nodePackage } from "./node-from-npm.cjs";
import { npm, run } from "./run.ts";
import { readResults } from "./test-results.ts";
import type { TestRun } from "./test-run.ts";

/** What must pass before a change goes in: `npm test`. */
export async function testSuite(run: TestRun) {
  if (!(await install(run))) return false;
  await run.step("consistency", () => npm(["run", "--silent", "consistency"]));
  await run.step("lint", () => npm(["run", "--silent", "lint"]));
  await run.step("types", () => npm(["run", "--silent", "types"]));
  await run.step("unit and component tests", (report) => vitest("unit", report), readResults);
  return (
    (await build(run)) && (await endToEnd(run, "end-to-end tests", ["own", "default", "shell"]))
  );
}

/** What takes longer, and seldom fails by itself: `npm run verify`. */
export async function verifySuite(run: TestRun) {
  if (!(await install(run))) return false;
  await run.step("slow unit tests", (report) => vitest("slow-unit", report), readResults);
  for (const version of otherNodes) await unitTestsOn(run, version);
  if (!(await build(run))) return false;
  await run.step("attacks", (report) => vitest("abuse", report), readResults);
  const projects = ["own-verify", "default-verify", "shell-verify"];
  return (await endToEnd(run, "more end-to-end tests", projects)) && otherBrowsers(run);
}

/** The oldest and the newest Node that Signpost runs on, tested besides the one that this runs under. */
const otherNodes = ["22", "26"].filter(
  (version) => !process.versions.node.startsWith(`${version}.`),
);

/** @param version of the Node that the tests run under */
function unitTestsOn(run: TestRun, version: string) {
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

/** What depends on the browser, in Firefox and WebKit, where Playwright has installed them. */
async function otherBrowsers(run: TestRun) {
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

async function install(run: TestRun) {
  if ((await installIfStale()) === 0) return true;
  return run.stop("The packages could not be installed, so nothing else can run.", "install");
}

/** Both suites need the builds; for the second one they are there already. */
async function build(run: TestRun) {
  const name = "production builds";
  if (run.hasPassed(name)) return true;
  if (await run.step(name, () => script("scripts/variants.ts"))) return true;
  return run.stop("Without a build there is nothing to run the end-to-end tests on.");
}

/**
 * @param projects of playwright.config.ts
 * @returns whether they ran
 */
async function endToEnd(run: TestRun, name: string, projects: string[]): Promise<boolean> {
  // Imported late: before the installation there is no Playwright.
  const { ensureBrowser } = await import("./browser-install.ts");
  const browser = await ensureBrowser();
  if (!browser) {
    return run.stop("Without a browser the end-to-end tests can't run.", "browser");
  }
  await playwright(run, name, projects, { CHROMIUM_PATH: browser });
  return true;
}

/** @param projects of playwright.config.ts */
function playwright(run: TestRun, name: string, projects: string[], env?: Record<string, string>) {
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

function vitest(
  command: "unit" | "slow-unit" | "abuse",
  report: string,
  env?: Record<string, string | undefined>,
) {
  const reporters = ["--reporter=default", `--reporter=${reporter("vitest")}`];
  return npm(["run", "--silent", command, "--", ...reporters], { ...env, RESULTS_FILE: report });
}

function reporter(tool: "vitest" | "playwright") {
  return fileURLToPath(new URL(`./reporters/${tool}.ts`, import.meta.url));
}

function script(path: string) {
  return run(process.execPath, [path]);
}
