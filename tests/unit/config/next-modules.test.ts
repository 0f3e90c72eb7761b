import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as constants from "@/lib/config/browser/constants.js";
import { browserModules, dynamicModules, scriptModules } from "@/lib/config/next-modules.js";

const modules = "node_modules";

test.each([
  ...Object.entries({ ...browserModules, ...scriptModules(true) }),
  ...Object.entries(scriptModules(false)),
])("%s stands for what Next has", (name, { browser }) => {
  const replacement = browser.startsWith("./") ? browser : join(modules, browser);
  expect(existsSync(replacement), browser).toBe(true);
  if (!name.startsWith("next/")) return;
  const files = [name, `${name}.js`, `${name}/package.json`].map((file) => join(modules, file));
  expect(files.some(existsSync), name).toBe(true);
});

test("whatever apps import of Next has the same replacement with and without .js", () => {
  const all: Record<string, unknown> = {
    ...browserModules,
    ...dynamicModules,
    ...scriptModules(true),
  };
  const names = Object.keys(all).filter((name) => /^next\/(?!dist\/)[^.]+$/.test(name));
  expect(names).toContain("next/router");
  for (const name of names) expect(all[`${name}.js`], name).toEqual(all[name]);
});

test("Next's start in the browser asks for the polyfills by the name that is replaced", () => {
  const start = readFileSync(join(modules, "next/dist/esm/client/index.js"), "utf8");
  expect(start).toContain("import '../build/polyfills/polyfill-module'");
});

test("the constants in place of Next's are the same", () => {
  const files = ["next/dist/esm/lib/constants.js", "next/dist/esm/shared/lib/constants.js"];
  const code = files.map((file) => readFileSync(join(modules, file), "utf8")).join("\n");
  for (const [name, value] of Object.entries(constants)) {
    expect(code).toMatch(new RegExp(`export const ${name} = ['"]${value}['"];`));
  }
});

test.each([
  ["./interception-routes", "next/dist/esm/shared/lib/router/utils/is-dynamic.js"],
  ["../../../lib/constants", "next/dist/esm/shared/lib/router/router.js"],
  ["../../../../lib/constants", "next/dist/esm/shared/lib/router/utils/route-regex.js"],
  ["../shared/lib/constants", "next/dist/esm/client/page-loader.js"],
  ["./tracing/tracer", "next/dist/esm/client/index.js"],
])("Next asks for %s by the name that is replaced", (name, importer) => {
  expect(Object.keys(browserModules)).toContain(name);
  expect(readFileSync(join(modules, importer), "utf8")).toContain(`from '${name}';`);
});
