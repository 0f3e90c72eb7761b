import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firefox, webkit } from "playwright";
import { environmentWith, isInterrupted, nodeFromNpm, nodePackage, run } from "../scripts/run.cjs";
import { ensureBrowser } from "./support/browser.ts";
import { type Result, readResults, summary } from "./support/test-results.ts";

const folder = mkdtempSync(join(tmpdir(), "signpost-test-"));
const report = join(folder, "report.json");
const inVitest = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
const inPlaywright = ["node_modules/playwright/cli.js", "test", "--reporter=list,json"];

const results: Result[] = [];

/** What can run, by name. Each says whether the next one can run after it. */
const suites: Record<string, () => Promise<boolean>> = {
  /** What must pass before a change goes in. */
  async test() {
    for (const name of ["consistency", "lint", "types"]) await step(name, command(name));
    await step("unit and component tests", command("unit", ...inVitest));
    return (await build()) && endToEnd("end-to-end tests", "own", "default", "shell");
  },

  /** What takes longer, and seldom fails by itself. */
  async verify() {
    await step("slow unit tests", command("slow-unit", ...inVitest));
    // The oldest and the newest Node that Signpost runs on, besides the one that this runs under.
    const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
    for (const version of [engines.node.replace(">=", ""), "26"]) {
      if (!process.versions.node.startsWith(`${version}.`)) await unitTestsOn(version);
    }
    if (!(await build())) return false;
    await step("attacks", command("abuse", ...inVitest));
    const projects = ["own-verify", "default-verify", "shell-verify"];
    return (await endToEnd("more end-to-end tests", ...projects)) && otherBrowsers();
  },
};

/** What depends on Node itself: its SQLite, its threads, its HTTP server, how it strips types. */
const onNode = ["contracts", "unit/relay/outbox", "unit/server", "unit/relay/source-maps"].map(
  (folder) => `tests/${folder}/`,
);

/** @param version of the Node that the tests run under */
async function unitTestsOn(version: string) {
  if (isInterrupted()) return;
  const node = nodeFromNpm(version);
  const name = `unit tests on Node ${version}`;
  if (node) await step(name, command("unit", ...inVitest, ...onNode), environmentWith(node), node);
  else cannot(name, `Node ${version} could not be had from npm (${nodePackage()}).`);
}

/** Both suites need the builds; for the second one they are there already. */
async function build(): Promise<boolean> {
  const name = "production builds";
  if (results.some((result) => result.name === name)) return true;
  if (await step(name, ["tests/support/variants.ts"])) return true;
  if (!isInterrupted()) console.error("Without a build the end-to-end tests can't run.");
  return false;
}

/** @param projects of playwright.config.ts */
async function endToEnd(name: string, ...projects: string[]): Promise<boolean> {
  const browser = await ensureBrowser();
  if (!browser) return cannot(name, "Without a browser the end-to-end tests can't run.");
  const options = projects.map((project) => `--project=${project}`);
  await step(name, [...inPlaywright, ...options], { CHROMIUM_PATH: browser });
  return true;
}

/** What depends on the browser, in Firefox and WebKit, where Playwright has installed them. */
async function otherBrowsers(): Promise<boolean> {
  for (const browser of [firefox, webkit]) {
    const name = browser.name();
    const has = existsSync(browser.executablePath());
    if (has) await step(`tests in ${name}`, [...inPlaywright, `--project=${name}`]);
    else console.log(`\nNot tested in ${name}: npx playwright install --with-deps ${name}`);
  }
  return true;
}

/** One of the commands of package.json. */
function command(...args: string[]) {
  return ["scripts/run.cjs", ...args];
}

/**
 * Runs a script, and counts it as one test or as the tests in its report.
 *
 * @returns whether it passed
 */
async function step(
  name: string,
  args: string[],
  env?: Record<string, string | undefined>,
  node = process.execPath,
): Promise<boolean> {
  if (isInterrupted()) return false;
  console.log(`\n── ${name}`);
  rmSync(report, { force: true });
  const start = Date.now();
  const code = await run(node, args, { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report });
  const seconds = (Date.now() - start) / 1000;
  if (!isInterrupted()) results.push({ name, ...readResults(report, code), seconds });
  return code === 0;
}

/** Counts a step that can't run as a failed test. */
function cannot(name: string, reason: string): false {
  if (isInterrupted()) return false;
  console.error(reason);
  results.push({ name, passed: 0, failed: 1 });
  return false;
}

/** Runs the suites that the arguments name, and prints what came of each step, the sum last. */
const given = process.argv.slice(2);
const others = given.filter((name) => !suites[name]);
if (others.length > 0) {
  console.error(
    `This command runs all its tests, and can't use ${others.join(" ")}. For a part of them: npm run unit -- <file>, or npm run e2e -- <file>.`,
  );
  process.exit(1);
}
try {
  for (const name of given) if (!(await suites[name]?.())) break;
} catch (error) {
  console.error(error);
  cannot("the test run itself", "It could not go on.");
}
rmSync(folder, { recursive: true, force: true });
if (isInterrupted()) results.push({ name: "interrupted", passed: 0, failed: 1 });
const { lines, failed } = summary(results);
console.log(`\n${lines.join("\n")}`);
process.exit(failed > 0 ? 1 : 0);
