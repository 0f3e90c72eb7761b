import { expect, type Locator, type Page } from "playwright/test";
import type { FaultProxy, Seen } from "./proxy";
import { fact } from "./routes";

interface Spied {
  next?: {
    router?: {
      isReady: boolean;
      events: { on(name: string, listener: (...args: unknown[]) => void): void };
      push(url: string, as?: string, options?: object): Promise<boolean>;
    };
  };
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
  // At once: between two calls another document could take this one's place.
  await page.waitForFunction(() => {
    const spied = window as unknown as Spied;
    spied.sameDocument = spied.next?.router?.isReady || undefined;
    return spied.sameDocument;
  });
}

/** Whether the document is still the one that was marked: no hard navigation came between. */
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

/** Has the router go somewhere, as a click would, and gives what comes of it: whether it arrived. */
export function pushed(page: Page, ...args: [string, string?, object?]): Promise<boolean> {
  return page.evaluate(async (given) => {
    const router = (window as unknown as Spied).next?.router;
    return (await router?.push(...given)) ?? false;
  }, args);
}

/** The same, without waiting until it is there. */
export async function push(page: Page, ...args: [string, string?, object?]): Promise<void> {
  await page.evaluate((given) => {
    void (window as unknown as Spied).next?.router?.push(...given);
  }, args);
}

/** An event of the router: its name and all that it says; of an error, message and whether cancelled. */
type RouterEvent = [name: string, ...said: unknown[]];

/** Writes down the router's events from now on, over hard navigations too. */
export async function recordEvents(page: Page): Promise<void> {
  await page.evaluate(() => {
    const names = ["routeChangeStart", "beforeHistoryChange", "routeChangeComplete"];
    for (const name of [...names, "routeChangeError", "hashChangeStart", "hashChangeComplete"]) {
      (window as unknown as Spied).next?.router?.events.on(name, (...args) => {
        const said = args.map((arg) =>
          arg instanceof Error ? [arg.message, (arg as { cancelled?: boolean }).cancelled] : arg,
        );
        const before = JSON.parse(sessionStorage.getItem("router-events") ?? "[]");
        sessionStorage.setItem(
          "router-events",
          JSON.stringify([...before, [name, ...said.flat()]]),
        );
      });
    }
  });
}

/** What has been written down so far. */
export function eventsOf(page: Page): Promise<RouterEvent[]> {
  return page.evaluate(() => JSON.parse(sessionStorage.getItem("router-events") ?? "[]"));
}

/** Scrolls as a person does, without smoothness. */
export async function scrollTo(page: Page, top: number): Promise<void> {
  await page.evaluate((y) => window.scrollTo({ top: y, behavior: "instant" }), top);
  await expectScroll(page, top);
}

/** Waits until the page is scrolled to this position, in px. */
export async function expectScroll(page: Page, top: number): Promise<void> {
  await expect.poll(() => page.evaluate(() => Math.round(scrollY))).toBe(top);
}
