import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findBrowser, thisMachine } from "../../scripts/browser.ts";
import { variants } from "../../scripts/variants.ts";
import { expect, test } from "../support/app";
import { placeholders, removePlaceholders } from "../support/placeholders.js";
import { copyProject } from "../support/project-copy.js";
import { type Program, spawnNode, spawnNpm } from "../support/server";

const copy = ".next-variants/copies/without-placeholders";

const makeFixtureProject = `import { makeFixtureProject } from "./tests/fixtures/fixture-project.js";
makeFixtureProject("${variants.default.source}");`;

const env = { CHROMIUM_PATH: findBrowser(thisMachine, ""), NODE_ENV: undefined };

/** Waits until a program in the copy has ended in good order. */
async function succeeds(program: Program): Promise<void> {
  expect(await program.exited, program.output()).toBe(0);
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

/**
 * Whether a file is placeholder. Under pages/ there are none any more, but pages of the tests. What the
 * app's pages say is in the builds, for the sake of components.
 */
const isPlaceholder = (file: string) =>
  !file.startsWith("pages/") &&
  [...placeholders.files, "lib/messages/pages"].some(
    (path) => file === path || file.startsWith(`${path}/`),
  );

test("without the placeholders, all that remains is whole: checks, unit tests, the build and its pages", {
  tag: ["@only-default", "@verify"],
}, async () => {
  test.setTimeout(900_000);
  copyProject(copy);
  removePlaceholders(copy);
  for (const command of ["check", "unit", "build"]) {
    await test.step(`npm run ${command}`, () => succeeds(spawnNpm(command, env, copy)));
  }
  await test.step("the pages that are left work", () =>
    succeeds(spawnNode("node_modules/playwright/cli.js", env, copy, ["test", "--project=own"])));
  await test.step("the other end-to-end tests have the very builds that they have here", async () => {
    await succeeds(spawnNode("--input-type=module", env, copy, ["-e", makeFixtureProject]));
    const here = Object.entries(sourcesOf(".")).filter(([file]) => !isPlaceholder(file));
    const there = Object.entries(sourcesOf(copy)).filter(([file]) => !isPlaceholder(file));
    expect(there).toEqual(here);
  });
});
