import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { browserModules, dynamicModules } from "@/lib/navigation/next/modules";

const modules = "node_modules";

test.each(Object.entries(browserModules))("%s stands for what Next has", (name, { browser }) => {
  const replacement = browser.startsWith("./") ? browser : join(modules, browser);
  expect(existsSync(replacement), browser).toBe(true);
  if (!name.startsWith("next/")) return;
  const files = [name, `${name}.js`, `${name}/package.json`].map((file) => join(modules, file));
  expect(files.some(existsSync), name).toBe(true);
});

test("whatever apps import of Next has the same replacement with and without .js", () => {
  const all: Record<string, unknown> = { ...browserModules, ...dynamicModules };
  const names = Object.keys(all).filter((name) => /^next\/(?!dist\/)[^.]+$/.test(name));
  expect(names).toContain("next/router");
  for (const name of names) expect(all[`${name}.js`], name).toEqual(all[name]);
});

test("Next's start in the browser asks for the polyfills by the name that has an alias", () => {
  const start = readFileSync(join(modules, "next/dist/esm/client/index.js"), "utf8");
  expect(start).toContain("import '../build/polyfills/polyfill-module'");
});

test("Next's start and next/image ask for the configuration of images by the name that has an alias", () => {
  for (const name of ["index", "use-image-config"]) {
    const code = readFileSync(join(modules, `next/dist/esm/client/${name}.js`), "utf8");
    expect(code).toContain("from '../shared/lib/image-config-context.shared-runtime'");
  }
});

test("no alias has a name by which a team may import a file of its own", () => {
  const relative = Object.keys(browserModules).filter((name) => name.startsWith("."));
  expect(relative).toEqual([
    "../build/polyfills/polyfill-module",
    "../shared/lib/image-config-context.shared-runtime",
  ]);
});

test("what next/dynamic exports, the module in its place exports, too", async () => {
  const [own, next] = await Promise.all([
    import("@/lib/navigation/dynamic"),
    import("next/dynamic"),
  ]);
  const lacking = Object.keys(next).filter((name) => !(name in own) && !isInterop(name));
  expect(lacking).toEqual([]);
  expect(own.noSSR).toBe(next.noSSR);
});

/** What a CommonJS module has as an ES module. */
const isInterop = (name: string) => ["__esModule", "module.exports"].includes(name);
