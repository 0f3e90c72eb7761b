import { readFileSync } from "node:fs";
import { test as base } from "playwright/test";
import { defaultLocale } from "@/lib/messages/locales";
import { expect } from "./axe";

interface Manifest {
  basePath: string;
  staticRoutes: { page: string }[];
  dynamicRoutes: { page: string }[];
}

const manifest: Manifest = JSON.parse(readFileSync(".next/routes-manifest.json", "utf8"));

/** Every page of the build, by its pattern. */
export const patterns = [...manifest.staticRoutes, ...manifest.dynamicRoutes]
  .map(({ page }) => page)
  .filter((page) => !/^\/(_app|_error|404|500|api)($|\/)/.test(page));

/** The whole URL of a path, under the base path of the build. */
export function url(path: string, locale: string = defaultLocale): string {
  const prefix = locale === defaultLocale ? "" : `/${locale}`;
  const pathname = manifest.basePath + prefix + path;
  return `http://localhost:${process.env.APP_PORT}${pathname.replace(/(.)\/$/, "$1")}`;
}

/** What the console of a test's page says of errors. */
class Faults {
  readonly found: string[] = [];
  readonly #allowed: RegExp[] = [];

  /** Errors that match are what the test expects. */
  allow(pattern: RegExp): void {
    this.#allowed.push(pattern);
  }

  /** What was found and not allowed. */
  list(): string[] {
    return this.found.filter((fault) => !this.#allowed.some((pattern) => pattern.test(fault)));
  }
}

/** A test that fails by each error in the console of its page that it did not allow. */
export const test = base.extend<{ faults: Faults }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names out of a pattern.
  faults: async ({}, use) => {
    const faults = new Faults();
    await use(faults);
    expect(faults.list(), "errors in the console: faults.allow() lets expected ones be").toEqual(
      [],
    );
  },
  page: async ({ page, faults }, use) => {
    page.on("pageerror", (error) => faults.found.push(String(error)));
    page.on("console", (message) => {
      if (message.type() !== "error") return;
      faults.found.push(`${message.text()} (${message.location().url})`);
    });
    await use(page);
  },
});

export { expect };
