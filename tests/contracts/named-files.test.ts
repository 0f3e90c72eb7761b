import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";

const folders = ["packages", "lib", "components", "pages", "scripts", "tests"];
const ours = new Set(folders.flatMap((folder) => filesIn(folder)).map((file) => basename(file)));
const contracts = readdirSync("tests/contracts").filter((file) => file.endsWith(".test.ts"));

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" });
}

/** Files of ours that a text names, with their folder or after one that has it. */
function namedIn(text: string): string[] {
  return (
    text.match(
      /(?<![\w./-])(?:\.\.\/)?(?:(?:packages|lib|components|pages|scripts|tests)\/)?[\w./-]+\.(?:tsx?|js)\b/g,
    ) ?? []
  );
}

/** Files of the packages themselves. */
const foreign = /^(next|node_modules|shared)\/|^(Next|Node)\.js$/;

const documents = ["docs/upgrading.md", "docs/architecture.md"];

test.each([...contracts.map((file) => join("tests/contracts", file)), ...documents])(
  "%s names files that are there",
  (source) => {
    const text = readFileSync(source, "utf8");
    const sentences = source.endsWith(".md")
      ? text
      : (text.match(/["`][A-Z][^"`]*["`]/g) ?? []).join("\n");
    const missing = namedIn(sentences).filter((name) => {
      if (foreign.test(name)) return false;
      const path = name.replace(/^\.\.\//, "");
      // A part of the app that a team has taken out is gone as a whole folder.
      if (path.includes("/")) return !existsSync(path) && existsSync(dirname(path));
      return !ours.has(path) && !existsSync(path);
    });
    expect(missing, `${source} names files that were moved or are gone.`).toEqual([]);
  },
);

test("SECURITY.md names unit tests that are there", () => {
  const rows = readFileSync("SECURITY.md", "utf8").match(/^\|.*\|$/gm) ?? [];
  const names = rows.flatMap(
    (row) =>
      row
        .split("|")
        .at(-2)
        ?.match(/(?<=`)[\w/-]+(?=`)/g) ?? [],
  );
  const paths = names
    .filter((name) => !/^(tests|packages)\//.test(name))
    .map((name) => `tests/unit/${name}.test.ts`)
    .map((path) => path.replace("tests/unit/relay/", "packages/relay/tests/"))
    .map((path) => path.replace("tests/unit/sentry/", "packages/sentry/tests/unit/"))
    .map((path) => path.replace("tests/unit/inbox/", "packages/inbox/tests/unit/"));
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(path) && existsSync(dirname(path)))).toEqual([]);
});
