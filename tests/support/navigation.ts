import { expect, type Locator, type Page } from "playwright/test";
import type { FaultProxy, Seen } from "./proxy";
import { fact } from "./routes";

interface Spied {
  next?: { router?: { isReady: boolean } };
  /** Not there any more once another document has been loaded. */
  sameDocument?: boolean;
}

/** Loads a page and waits until the router can take over; marks the document. */
export async function open(page: Page, url: string) {
  const response = await page.goto(url);
  await ready(page);
  return response;
}

/** Waits until the router of the present document can take over, and marks the document. */
export async function ready(page: Page): Promise<void> {
  await page.waitForFunction(() => (window as unknown as Spied).next?.router?.isReady);
  await page.evaluate(() => {
    (window as unknown as Spied).sameDocument = true;
  });
}

/** Whether the document is still the one that was marked: no full page load came between. */
export function isSameDocument(page: Page): Promise<boolean> {
  return page.evaluate(() => (window as unknown as Spied).sameDocument === true);
}

/** The first link to a URL path, with base path and locale in it. */
export function linkTo(page: Page, path: string): Locator {
  return page.locator(`a[href="${path}"]`).first();
}

/** Waits until the last client navigation has gone through these stages. */
export async function expectStages(page: Page, stages: string): Promise<void> {
  await expect(fact(page, "navigation")).toHaveText(stages);
}

/** The requests for a whole page, by the path and query it was asked for with. */
export function documents(front: FaultProxy, path: string): Seen[] {
  return front
    .seen(/./)
    .filter(({ url, headers }) => url === path && headers["sec-fetch-dest"] === "document");
}

/** Where the data of a page of English is, by its path without the slash. */
export function dataOf(page: string): RegExp {
  return new RegExp(`/_next/data/[^/]+/en/${page}\\.json`);
}
