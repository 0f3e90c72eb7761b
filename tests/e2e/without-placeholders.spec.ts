import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findBrowser, thisMachine } from "../../scripts/browser.js";
import { variants } from "../../scripts/variants.js";
import { expect, test } from "../support/app";
import { placeholders, removePlaceholders } from "../support/placeholders.js";
import { copyProject } from "../support/project-copy.js";
import { spawnNode } from "../support/server";

const copy = ".next-variants/copies/without-placeholders";

const makeFixtureProject = `import { makeFixtureProject } from "./tests/fixtures/fixture-project.js";
makeFixtureProject("${variants.default.source}");`;

/** Runs a script of a package in the copy. @throws with what it said, unless it ends with 0 */
async function run(script: string, ...args: string[]): Promise<void> {
  const browser = findBrowser(thisMachine, "");
  const program = spawnNode(script, { CHROMIUM_PATH: browser, NODE_ENV: undefined }, copy, args);
  const code = await program.exited;
  expect(code, program.output()).toBe(0);
}

/** The text of each file that the fixture builds are made of, by path. */
function sourcesOf(project: string): Record<string, string> {
  const folder = join(project, variants.default.source);
  const own = /^(node_modules|\.next|scripts|next-env\.d\.ts|.*\.(md|tsbuildinfo))(\/|$)/;
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !own.test(entry.name))
    .flatMap((entry) =>
      entry.isFile()
        ? [entry.name]
        : readdirSync(join(folder, entry.name), { recursive: true, withFileTypes: true })
            .filter((file) => file.isFile())
            .map((file) => join(file.parentPath, file.name).slice(folder.length + 1)),
    );
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), "utf8")]));
}

/** Whether a file is placeholder. Under pages/ there are none any more, but pages of the tests. */
const isPlaceholder = (file: string) =>
  !file.startsWith("pages/") &&
  placeholders.files.some((path) => file === path || file.startsWith(`${path}/`));

test("without the placeholders, all that remains is whole: checks, unit tests, the build and its pages", {
  tag: ["@only-default", "@verify"],
}, async () => {
  test.setTimeout(900_000);
  copyProject(copy);
  removePlaceholders(copy);
  await test.step("npm run check", async () => {
    await run("scripts/consistency.js");
    await run("node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings", ".");
    await run("node_modules/next/dist/bin/next", "typegen");
    await run("node_modules/typescript/bin/tsc", "--noEmit");
  });
  await test.step("npm run unit", () => run("node_modules/vitest/vitest.mjs", "run"));
  await test.step("the pages that are left work", async () => {
    await run("scripts/build.js");
    await run("node_modules/playwright/cli.js", "test", "--project=own");
  });
  await test.step("the other end-to-end tests have the very builds that they have here", async () => {
    await run("--input-type=module", "-e", makeFixtureProject);
    const here = Object.entries(sourcesOf(".")).filter(([file]) => !isPlaceholder(file));
    expect(sourcesOf(copy)).toEqual(Object.fromEntries(here));
  });
});
