import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { browserModules } from "@/lib/config/next-modules.js";

const modules = "node_modules";

test.each(Object.entries(browserModules))("%s stands for what Next has", (name, { browser }) => {
  expect(existsSync(join(modules, browser)), browser).toBe(true);
  const file = name.endsWith(".js") ? name : `${name}.js`;
  if (name.startsWith("next/")) expect(existsSync(join(modules, file)), file).toBe(true);
});

test("Next's start in the browser asks for the polyfills by the name that is replaced", () => {
  const start = readFileSync(join(modules, "next/dist/esm/client/index.js"), "utf8");
  expect(start).toContain("import '../build/polyfills/polyfill-module'");
});
