import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBrowser, findOtherBrowser } from "./support/browser.ts";
import { environmentWith, isInterrupted, nodeFromNpm, run } from "./support/run.ts";
import { type Result, readResults, summary } from "./support/test-results.ts";

/*
 * Runs the suites that the arguments name, `test`, `verify` or both, each step by its command in
 * package.json. All steps, so that one fault hides no other; the last line counts them together.
 */

const folder = mkdtempSync(join(tmpdir(), "signpost-test-"));
const report = join(folder, "report.json");
const inVitest = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
const inPlaywright = ["--reporter=list,json"];

const results: Result[] = [];

/** What can run, by name. */
const suites: Record<string, () => Promise<void>> = {
  /** What must pass before a change goes in. */
  async test() {
    for (const name of ["consistency", "lint", "types"]) await step(name, npm(name));
    await step("unit and component tests", npm("unit", ...inVitest));
    await endToEnd("end-to-end tests", npm("e2e", ...inPlaywright));
  },

  /** What takes longer, and seldom fails by itself. */
  async verify() {
    await step("packages as they are packed", npm("packed"));
    // In one run: many of either wait.
    await step("slow unit tests and attacks", npm("slow-unit", "--project=abuse", ...inVitest));
    // The oldest and the newest Node that the package runs on, besides the one that this runs under.
    const { engines } = JSON.parse(readFileSync("packages/sentry/package.json", "utf8"));
    for (const version of [engines.node.replace(">=", ""), "26"]) {
      if (!process.versions.node.startsWith(`${version}.`)) await unitTestsOn(version);
    }
    const projects = ["long", "own", "companions", "default"].map((name) => `${name}-verify`);
    const all = playwright(...projects, "shell", "reach");
    await endToEnd("more end-to-end tests, and apps of other versions", all);
    await otherBrowsers();
  },
};

/** What depends on Node itself: its SQLite, its threads, its HTTP and TLS, how it strips types. */
const onNode = [
  ...["outbox/", "source-maps/", "delivery/outgoing-proxies"].map(
    (path) => `packages/relay/tests/${path}`,
  ),
  ...["tests/contracts/", "tests/unit/server/"],
];

/** @param version of the Node that the tests run under */
async function unitTestsOn(version: string) {
  if (isInterrupted()) return;
  const node = nodeFromNpm(version);
  const name = `unit tests on Node ${version}`;
  const vitest = ["node_modules/vitest/vitest.mjs", "run"];
  vitest.push(...["unit", "outbox", "verify"].map((project) => `--project=${project}`));
  // The threads of the tests are TypeScript. Nodes before 22.18 strip its types only when they are told to.
  const NODE_OPTIONS = "--experimental-strip-types";
  // A test's service with TLS is trusted by a Node that can't be told so later.
  const NODE_EXTRA_CA_CERTS = "tests/support/sentry.test.pem";
  const env = { ...environmentWith(node ?? ""), NODE_OPTIONS, NODE_EXTRA_CA_CERTS };
  // What the outbox does in Postgres is the same on each: there, its driver's own tests are enough.
  const names = String.raw`--testNamePattern=^(?!.*\bin Postgres)`;
  if (node) await step(name, [node, ...vitest, names, ...inVitest, ...onNode], env);
  else cannot(name, `Node ${version} could not be had from npm.`);
}

/** The builds that these tests run on are their own first step: tests/e2e/build.setup.ts. */
async function endToEnd(name: string, command: string[]) {
  await counted(name, async () => {
    const browser = await ensureBrowser();
    if (browser) await step(name, command, { CHROMIUM_PATH: browser });
    else cannot(name, "Without a browser the end-to-end tests can't run.");
  });
}

/** What depends on the browser, in Firefox and WebKit, where they are installed. */
async function otherBrowsers() {
  const names = ["firefox", "webkit"] as const;
  const found = names.filter(findOtherBrowser);
  const debians = { firefox: "firefox-esr", webkit: "webkit2gtk-driver xvfb" };
  for (const name of names.filter((one) => !found.includes(one))) {
    console.log(
      `\nNot tested in ${name}: npx playwright install --with-deps ${name}, or on Debian apt-get install ${debians[name]}`,
    );
  }
  if (found.length > 0) await step(`tests in ${found.join(" and ")}`, playwright(...found));
}

/** One of the commands of package.json. */
function npm(name: string, ...args: string[]): string[] {
  return ["npm", "run", "--silent", name, "--", ...args];
}

function playwright(...projects: string[]): string[] {
  return [
    "npx",
    "playwright",
    "test",
    ...projects.map((name) => `--project=${name}`),
    ...inPlaywright,
  ];
}

/** Runs a command, and counts it as one test or as the tests in its report. */
async function step(
  name: string,
  [program = "", ...args]: string[],
  env?: Record<string, string | undefined>,
) {
  if (isInterrupted()) return;
  console.log(`\n── ${name}`);
  rmSync(report, { force: true });
  const start = Date.now();
  await counted(name, async () => {
    const code = await run(program, args, { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report });
    const seconds = (Date.now() - start) / 1000;
    if (!isInterrupted()) results.push({ name, ...readResults(report, code), seconds });
  });
}

/** What throws has failed, and the steps after it run all the same. */
async function counted(name: string, part: () => Promise<void>) {
  try {
    await part();
  } catch (error) {
    cannot(name, String(error));
  }
}

/** Counts a step that can't run as a failed test. */
function cannot(name: string, reason: string) {
  if (isInterrupted()) return;
  console.error(reason);
  results.push({ name, passed: 0, failed: 1 });
}

const given = process.argv.slice(2);
const others = given.filter((name) => !suites[name]);
if (others.length > 0) {
  console.error(
    `This command runs all its tests, and can't use ${others.join(" ")}. For a part of them: npm run unit -- <file>, or npm run e2e -- <file>.`,
  );
  process.exit(1);
}
try {
  for (const name of given) await suites[name]?.();
} catch (error) {
  console.error(error);
  cannot("the test run itself", "It could not go on.");
}
rmSync(folder, { recursive: true, force: true });
if (isInterrupted()) results.push({ name: "interrupted", passed: 0, failed: 1 });
const { lines, failed } = summary(results);
console.log(`\n${lines.join("\n")}`);
process.exit(failed > 0 ? 1 : 0);
