import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { secrets, variants } from "../../scripts/variants.js";
import { expect, test } from "../support/app";
import { pages } from "../support/routes";
import type { App, Variant } from "../support/server";

/**
 * What the scripts of a page's first load may weigh together, in bytes, each gzipped: a little over
 * what the heaviest page has (the error page; most have about 111,300). A bare page of Next has
 * 113,020. Lower it whenever something gets lighter.
 */
const firstLoadBudget = 112_900;

/** Only the SDK's code has this; only zod's has the other. */
const marks = { sdk: "sentry.javascript", zod: "invalid_union" };

function dist(variant: Variant): string {
  return join(variants[variant].folder, ".next");
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The files that a browser with modules fetches for a page before anything else happens. */
async function firstLoad(app: App, url: string, status: number): Promise<string[]> {
  const response = await fetch(url);
  expect(response.status, url).toBe(status);
  const scripts = (await response.text()).match(/<script\b[^>]*>/g) ?? [];
  return scripts
    .filter((tag) => !/\snomodule\b/i.test(tag))
    .flatMap((tag) => / src="([^"?]+)/i.exec(tag)?.[1] ?? [])
    .map((src) => join(dist(app.variant), src.slice(`${app.basePath}/_next/`.length)));
}

function everyPage(app: App): [url: string, status: number][] {
  return [
    ...pages.map(({ path }): [string, number] => [app.url(path), 200]),
    [app.url("/no-such-page"), 404],
    [app.url("/failures/server-data"), 500],
  ];
}

test("no page loads more than the budget before it is shown", { tag: "@shell" }, async ({
  app,
}) => {
  for (const [url, status] of everyPage(app)) {
    const files = await firstLoad(app, url, status);
    expect(files.length, url).toBeGreaterThan(3);
    const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0);
    expect(bytes, url).toBeLessThanOrEqual(firstLoadBudget);
  }
});

test("neither the SDK nor zod is among the scripts of a first load", { tag: "@shell" }, async ({
  app,
}) => {
  const early = new Set<string>();
  for (const [url, status] of everyPage(app)) {
    for (const file of await firstLoad(app, url, status)) early.add(file);
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
