import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { firstLoadBudget } from "../../scripts/first-load.ts";
import { expect, test } from "../support/app";
import { dist, expectWithinBudget, firstLoadScripts, pageHtml } from "../support/first-load";
import { pages } from "../support/routes";
import { secrets } from "../support/variants.ts";

const hasFeedback = existsSync("pages/feedback.tsx");

/** Only the SDK's code has this; only zod's has the other, which checks the form for feedback. */
const marks = {
  sdk: "sentry.javascript",
  ...(hasFeedback && { zod: "invalid_union" }),
};

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

const everyPage: [path: string, status: number][] = [
  ...pages.map(({ path }): [string, number] => [path, 200]),
  ...(hasFeedback ? [["/feedback", 200] as [string, number]] : []),
  ["/no-such-page", 404],
  ["/failures/server-data", 500],
];

/** What a base path and a deployment's name add, in bytes: code that is left out where there are none. */
const shellPrice = 400;

test("no page loads more than the budget before it is shown", { tag: "@only-shell" }, async ({
  app,
}) => {
  for (const [path, status] of everyPage) {
    const html = await pageHtml(app, path, status);
    expectWithinBudget(app, path, html, firstLoadBudget + shellPrice);
  }
});

test("neither the SDK nor zod is among the scripts of a first load", {
  tag: "@only-shell",
}, async ({ app }) => {
  const early = new Set<string>();
  for (const [path, status] of everyPage) {
    for (const file of await firstLoadScripts(app, path, status)) early.add(file);
  }
  for (const [name, mark] of Object.entries(marks)) {
    const having = filesBelow(join(dist(app.variant), "static")).filter((file) =>
      readFileSync(file, "utf8").includes(mark),
    );
    expect(having.length, `${name} is somewhere, to be loaded when it is wanted`).toBeGreaterThan(
      0,
    );
    expect(having.filter((file) => early.has(file))).toEqual([]);
  }
});

test("what browsers get holds no source maps, no paths of the machine that built it, and no names of secrets", {
  tag: "@shell",
}, ({ variant }) => {
  const files = filesBelow(join(dist(variant), "static"));
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => file.endsWith(".map"))).toEqual([]);
  const telling = [process.cwd(), homedir(), "sourceMappingURL", "AUTH_TOKEN", "DATA_DIR"];
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    expect(
      telling.filter((words) => text.includes(words)),
      file,
    ).toEqual([]);
  }
});

test("secrets that were around during the build are nowhere in it", { tag: "@shell" }, ({
  variant,
}) => {
  const files = ["static", "server"].flatMap((part) => filesBelow(join(dist(variant), part)));
  for (const [name, secret] of Object.entries(secrets)) {
    expect(
      files.filter((file) => readFileSync(file).includes(secret)),
      name,
    ).toEqual([]);
  }
});
