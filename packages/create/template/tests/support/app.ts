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

/** A test whose page fails it by what the console says of errors. */
export const test = base.extend({
  page: async ({ page }, use) => {
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
    await use(page);
    expect(errors, "what the console says of errors").toEqual([]);
  },
});

export { expect };
