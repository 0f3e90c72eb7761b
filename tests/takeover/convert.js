import { createServer } from "node:http";
import { chromium } from "playwright/test";
import { findBrowser } from "../support/browser.ts";
import { freePort } from "../support/free-port.js";
import { copyProject } from "../support/project-copy.js";
import { perform, recipe, recipes } from "../support/recipes.js";
import { run } from "../support/run.ts";
import { isMissed, testRun, unexplained } from "./failures.js";
import { firstDay, login, plantedFaults, product, withoutArabic } from "./product.js";
import { visit } from "./visit.js";

/*
 * Turns a copy of the project into another product, as a team does on its first days. That product's
 * own `npm test` must fail for the faults that are planted in it, and for nothing else; without them
 * it must pass. Then the product is used in Chromium. Run by hand, since it installs packages and
 * takes twice as long as `npm test`:
 *
 *   npx node tests/takeover/convert.js [--quick]
 *
 * With --quick nothing is planted, and `npm run check`, the unit tests and a build stand for
 * `npm test`.
 */

const folder = ".next-variants/takeover/product";
const quick = process.argv.includes("--quick");

/** Where the product's analytics script is. Nobody answers there while the product's tests run. */
const port = await freePort();

/** @param {boolean} [broken] */
function makeProduct(broken = false) {
  copyProject(folder);
  perform(recipes(firstDay), folder);
  perform(withoutArabic, folder);
  perform(recipe(login), folder);
  perform(product(`http://127.0.0.1:${port}`), folder);
  if (broken) for (const { steps } of plantedFaults) perform(steps, folder);
}

/** @param {string[]} args of npm */
async function mustRun(...args) {
  const code = await run("npm", args, {}, folder);
  if (code !== 0) end([`npm ${args.join(" ")} ended with ${code}`]);
}

/**
 * @param {string[]} faults
 * @returns {never}
 */
function end(faults) {
  for (const fault of faults) console.error(fault);
  console.log(faults.length === 0 ? "The copy works." : "The copy does not work.");
  process.exit(faults.length === 0 ? 0 : 1);
}

/** Adds the product's packages to the copy, which gets the project's own lockfile each time. */
function install() {
  const packages = ["tailwindcss@4", "@tailwindcss/postcss@4"];
  return mustRun("install", "--no-audit", "--no-fund", "--save-exact", ...packages);
}

if (!quick) {
  makeProduct(true);
  await install();
  const { failures, failed } = await testRun(folder);
  const messages = plantedFaults.map(({ message }) => message);
  const faults = [
    ...unexplained(failures, messages).map((text) => `Nobody planted this:\n${text}`),
    ...messages
      .filter((message) => isMissed(failures, message))
      .map((message) => `No test says ${message}`),
  ];
  if (failed !== failures.length) {
    faults.push(`${failed} tests failed, of which ${failures.length} say why`);
  }
  if (faults.length > 0) end(faults);
  console.log("npm test fails for what is planted, and for nothing else.");
}
makeProduct();
await install();
if (quick) {
  for (const command of ["check", "unit", "build"]) await mustRun("run", command);
} else await mustRun("test");

/** @type {string[]} */
const asked = [];
const analytics = createServer((request, response) => {
  asked.push(request.url ?? "");
  response.setHeader("Content-Type", "text/javascript");
  response.setHeader("Access-Control-Allow-Origin", "*");
  response.end('fetch(new URL("/collect", document.currentScript.src));');
});
await new Promise((resolve) => analytics.listen(port, "127.0.0.1", () => resolve(undefined)));
const browser = await chromium.launch({
  executablePath: findBrowser(),
});
const faults = await visit(folder, await browser.newPage());
if (!asked.includes("/collect")) faults.push("The analytics script did not report");
await browser.close();
analytics.close();
end(faults);
