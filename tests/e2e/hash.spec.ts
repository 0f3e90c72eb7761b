import type { Page } from "playwright/test";
import { expect, test } from "../support/app";
import { expectFacts, pages } from "../support/routes";

interface NextWindow {
  next: {
    router: {
      events: { on(name: string, listener: (...args: unknown[]) => void): void };
      push(url: string): Promise<boolean>;
    };
  };
  seen: string[];
}

/** Writes down the router's events from now on. */
async function recordEvents(page: Page): Promise<void> {
  await page.evaluate(() => {
    const w = window as unknown as NextWindow;
    w.seen = [];
    const names = ["routeChangeStart", "beforeHistoryChange", "routeChangeComplete"];
    for (const name of [...names, "routeChangeError", "hashChangeStart", "hashChangeComplete"]) {
      w.next.router.events.on(name, () => w.seen.push(name));
    }
  });
}

for (const page of pages.filter(({ path }) => ["/static", "/server", "/optional"].includes(path))) {
  test(`a change of the hash alone on ${page.path} fetches nothing and fires only the hash events`, async ({
    app,
    page: tab,
  }) => {
    await tab.goto(app.url(page.path, "de"));
    await expectFacts(tab, page, "de");
    await recordEvents(tab);
    const fetched: string[] = [];
    tab.on("request", (request) => {
      const isPrefetch = request.headers().purpose === "prefetch";
      const isPage = request.isNavigationRequest() || request.url().includes("/_next/data/");
      if (isPage && !isPrefetch) fetched.push(request.url());
    });
    await tab.evaluate(() => (window as unknown as NextWindow).next.router.push("#main"));
    await expect(tab).toHaveURL(`${app.url(page.path, "de")}#main`);
    expect(await tab.evaluate(() => (window as unknown as NextWindow).seen)).toEqual([
      "hashChangeStart",
      "hashChangeComplete",
    ]);
    expect(fetched).toEqual([]);
    await expectFacts(tab, page, "de");
  });
}
