import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { firstLoadBudget } from "../../scripts/first-load.ts";
import { expect } from "./axe";
import type { App, Variant } from "./server";
import { variants } from "./variants.ts";

/** The folder of a variant's build. */
export function dist(variant: Variant): string {
  return join(variants[variant].folder, ".next");
}

/** Fails for a page whose scripts weigh more than its budget. */
export function expectWithinBudget(
  app: App,
  path: string,
  html: string,
  budget = firstLoadBudget,
): void {
  const files = scriptsIn(app, html);
  expect(files.length, path).toBeGreaterThan(3);
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0);
  expect(
    bytes,
    `the first load of ${path}, in bytes. Load later what is not wanted at once, with import() or next/dynamic, or give it "budget: ${bytes}" in tests/pages.ts`,
  ).toBeLessThanOrEqual(budget);
}

/** The files that a browser with modules fetches for a page before anything else happens. */
export async function firstLoadScripts(app: App, path: string, status = 200): Promise<string[]> {
  return scriptsIn(app, await pageHtml(app, path, status));
}

/** The HTML of a page as a visitor gets it who is not signed in. */
export async function pageHtml(app: App, path: string, status = 200): Promise<string> {
  const response = await fetch(app.url(path));
  expect(response.status, path).toBe(status);
  return response.text();
}

function scriptsIn(app: App, html: string): string[] {
  const scripts = html.match(/<script\b[^>]*>/g) ?? [];
  return scripts
    .filter((tag) => !/\snomodule\b/i.test(tag))
    .flatMap((tag) => / src="([^"?]+)/i.exec(tag)?.[1] ?? [])
    .map((src) => join(dist(app.variant), src.slice(`${app.basePath}/_next/`.length)));
}
