import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "../support/app";
import type { Variant } from "../support/server";
import { variants } from "../support/variants.ts";

function dist(variant: Variant): string {
  return join(variants[variant].folder, ".next");
}

function buildOf(variant: Variant): string {
  return readFileSync(join(dist(variant), "BUILD_ID"), "utf8");
}

test("maps are kept, and neither they nor their addresses are served", async ({ app, variant }) => {
  const chunks = readdirSync(join(dist(variant), "static/chunks"));
  const kept = readdirSync(join(dist(variant), "source-maps", buildOf(variant), "static/chunks"));
  expect(kept.length).toBeGreaterThan(10);
  const scripts = chunks.filter((name) => name.endsWith(".js"));
  for (const name of scripts) {
    const url = `${app.origin}${app.basePath}/_next/static/chunks/${name}`;
    const text = await (await fetch(url)).text();
    expect(text, name).not.toContain("sourceMappingURL");
    // Shorter ones only list other scripts.
    if (text.length > 1000) expect(kept).toContain(`${name}.map.gz`);
    expect((await fetch(`${url}.map`)).status, name).toBe(404);
  }
  for (const path of ["source-maps", "../source-maps", "%2e%2e/source-maps"]) {
    const url = `${app.origin}${app.basePath}/_next/static/${path}/build.json`;
    expect((await fetch(url)).status, path).toBe(404);
  }
});
