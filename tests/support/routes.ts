import type { Locator, Page } from "playwright/test";
import { expect } from "./axe";
import type { App } from "./server";

export const locales = ["en", "de", "ar"] as const;

/** A language without a prefix and one with, with the tags of a test: the prefix beside a base path. */
export const withAndWithoutPrefix = [
  ["en", []],
  ["de", ["@only-shell", "@verify"]],
] satisfies [(typeof locales)[number], string[]][];

/** A page and the facts that it shows; `params` as it shows them. */
export interface PageCase {
  path: string;
  pattern: string;
  params: Record<string, string | string[]>;
  rendering: "static" | "incremental" | "server";
}

export function page(
  path: string,
  rendering: PageCase["rendering"],
  pattern = path,
  params: PageCase["params"] = {},
): PageCase {
  return { path, pattern, params, rendering };
}

/** The pages of tests/fixtures that answer with 200 and show what matched, one URL for each kind. */
export const pages: PageCase[] = [
  page("/", "static"),
  page("/static", "static"),
  page("/incremental/alpha", "incremental", "/incremental/[slug]", { slug: "alpha" }),
  page("/server", "server"),
  page("/dynamic/a-1", "server", "/dynamic/[id]", { id: "a-1" }),
  page("/catch-all/one/two", "server", "/catch-all/[...path]", { path: ["one", "two"] }),
  page("/optional", "static", "/optional/[[...path]]"),
  page("/slow", "server"),
  page("/failures", "static"),
];

/** The element of the page itself, not of what is around it, that holds a fact. */
export function fact(page: Page, name: string): Locator {
  return page.locator(`main [data-fact="${name}"]`);
}

/** Waits until the page shows these facts. */
export async function expectFacts(page: Page, expected: PageCase, locale: string): Promise<void> {
  const { path, pattern, params, rendering } = expected;
  await expect
    .poll(() => page.evaluate(readFacts), { message: `what ${path} shows`, intervals: [20, 50] })
    .toEqual({
      pattern,
      path,
      params: JSON.stringify(params),
      locale,
      rendering,
      "rendered-at": expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      lang: locale,
      dir: locale === "ar" ? "rtl" : "ltr",
    });
}

/** All facts at once, as one moment shows them. Runs in the page. */
function readFacts(): Record<string, string | null> {
  const names = ["pattern", "path", "params", "locale", "rendering", "rendered-at"];
  const facts = names.map((name) => {
    const element = document.querySelector(`[data-fact="${name}"]`);
    return [name, element?.textContent ?? null] as const;
  });
  const { lang, dir } = document.documentElement;
  return { ...Object.fromEntries(facts), lang, dir };
}

/** Leaves a mark that only a hard navigation removes. */
export async function mark(page: Page): Promise<void> {
  await page.evaluate(() => Object.assign(window, { markOfTheTest: true }));
}

export function isMarked(page: Page): Promise<boolean> {
  return page.evaluate(() => "markOfTheTest" in window);
}

/** The app's own links on the page, as paths from the origin, without those of the API. */
export async function pageLinks(page: Page, app: App): Promise<string[]> {
  const hrefs = await page
    .locator("a[href]")
    .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
  return ownPages(hrefs, app);
}

/** The same of a page's HTML. */
export function htmlLinks(html: string, app: App): string[] {
  const hrefs = [...html.matchAll(/<a\s[^>]*?\bhref="([^"]*)"/g)].map(([, href = ""]) => {
    return new URL(href.replaceAll("&amp;", "&"), app.origin).href;
  });
  return ownPages(hrefs, app);
}

/** What answers before Next. */
const notPages = ["/api/", "/reports"];

function ownPages(hrefs: string[], app: App): string[] {
  return hrefs
    .filter((href) => href.startsWith(app.origin))
    .map((href) => href.slice(app.origin.length))
    .filter((path) => !notPages.some((one) => path.startsWith(app.basePath + one)))
    .filter((path) => !path.includes("#"));
}
