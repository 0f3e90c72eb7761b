import { createServer } from "node:http";
import { chromium } from "playwright/test";
import { findBrowser, thisMachine } from "../../scripts/browser.ts";
import { run } from "../../scripts/run.ts";
import { copyProject } from "../support/project-copy.js";
import { perform, recipes } from "../support/recipes.js";
import { shop } from "./shop.js";
import { visit } from "./visit.js";

/*
 * Turns a copy of the project into another app, runs that app's own `npm test`, and uses it in
 * Chromium. Run by hand, since it installs packages and takes as long as `npm test`:
 *
 *   node tests/takeover/convert.js [--quick]
 *
 * With --quick, `npm run check`, the unit tests and a build stand for `npm test`.
 */

const folder = ".next-variants/takeover/shop";
const packages = ["tailwindcss@4", "@tailwindcss/postcss@4", "next-auth@4"];

/** @type {string[]} */
const asked = [];
const analytics = createServer((request, response) => {
  asked.push(request.url ?? "");
  response.setHeader("Content-Type", "text/javascript");
  response.setHeader("Access-Control-Allow-Origin", "*");
  response.end('fetch(new URL("/collect", document.currentScript.src));');
});
await new Promise((resolve) => analytics.listen(0, "127.0.0.1", () => resolve(undefined)));
const { port } = /** @type {import("node:net").AddressInfo} */ (analytics.address());

copyProject(folder);
perform(recipes(["The tests of this page", "The placeholders", "All languages but one"]), folder);
perform(shop(`http://127.0.0.1:${port}`), folder);

const steps = [
  ["npm", "install", "--no-audit", "--no-fund", "--save-exact", ...packages],
  ...(process.argv.includes("--quick")
    ? [
        ["npm", "run", "check"],
        ["npm", "run", "unit"],
        ["npm", "run", "build"],
      ]
    : [["npm", "test"]]),
];
for (const [command = "", ...args] of steps) {
  const code = await run(command, args, {}, folder);
  if (code !== 0) {
    console.error(`${command} ${args.join(" ")} ended with ${code}`);
    process.exit(code);
  }
}

const browser = await chromium.launch({
  executablePath: findBrowser(thisMachine, chromium.executablePath()),
});
const faults = await visit(folder, await browser.newPage());
if (!asked.includes("/collect")) faults.push("The analytics script did not report");
await browser.close();
analytics.close();
for (const fault of faults) console.error(fault);
console.log(faults.length === 0 ? "The copy works." : "The copy does not work.");
process.exit(faults.length === 0 ? 0 : 1);
