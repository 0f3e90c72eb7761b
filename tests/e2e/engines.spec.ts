import type { Locator, Page } from "playwright/test";
import { expect, type Front, test } from "../support/app";
import {
  errorEventsSent,
  errorsSent,
  itemsSent,
  throwInPage,
  treatLateScripts,
  untilReportingRuns,
} from "../support/browser-reports";
import {
  dataOf,
  documents,
  expectScroll,
  expectStages,
  linkTo,
  open,
  push,
  ready,
  scrollTo,
} from "../support/navigation";
import { answer, drop, hang, hold } from "../support/proxy";
import { fact } from "../support/routes";

// What Firefox and Safari do in another order than Chromium, brought about in Chromium. See
// docs/browsers.md.

/**
 * Follows a link, then starts a load of /failures. As soon as that is asked for, the page's own
 * requests that match are cancelled. Lets /failures arrive once the page has dealt with it.
 */
async function leaveWhilePending(page: Page, front: Front, link: Locator, pattern: RegExp) {
  const requests = hold();
  const target = hold();
  const restored = front.treat(pattern, async (exchange) => {
    await requests.gate;
    drop(exchange);
  });
  front.treat(/\/failures$/, async ({ pass }) => {
    requests.release();
    await target.gate;
    pass();
  });
  // A page that is about to be replaced can't be asked, but it can tell.
  await page.evaluate(() => {
    const { events } = (window as unknown as { next: { router: { events: RouterEvents } } }).next
      .router;
    events.on("routeChangeError", ({ cancelled }) => console.info("cancelled", cancelled));
  });
  await link.click();
  await expect.poll(() => front.underWay(pattern)).toBeGreaterThan(0);
  const told = page.waitForEvent("console", {
    predicate: (message) => message.text() === "cancelled true",
  });
  await page.evaluate((url) => location.assign(url), front.url("/failures"));
  await told;
  restored();
  target.release();
  await expect(page).toHaveURL(front.url("/failures"));
  await ready(page);
  await expect(fact(page, "pattern")).toHaveText("/failures");
}

interface RouterEvents {
  on(name: string, listener: (error: { cancelled?: boolean }) => void): void;
}

test.describe("a load that begins while a navigation waits is not taken back if it cancels", () => {
  for (const [what, target, pattern] of [
    ["the page data", "/server", dataOf("server")],
    ["the page's script", "/dynamic/a-1", /\/_next\/static\/chunks\/.*\.js/],
  ] as const) {
    test(what, { tag: "@verify" }, async ({ app, front, page, faults }) => {
      faults.allow(/ERR_|Failed to (fetch|load)/);
      const path = app.path(target);
      await open(page, front.url("/static"));
      await untilReportingRuns(front);
      await leaveWhilePending(page, front, linkTo(page, path), pattern);
      expect(documents(front, path)).toHaveLength(0);
      expect(errorEventsSent(front)).toEqual([]);
    });
  }
});

test("after a load that replaces nothing, a failed navigation is loaded whole as ever", {
  tag: "@verify",
}, async ({ app, front, page, faults }) => {
  faults.allow(/503/);
  await open(page, front.url("/static"));
  front.treat(/\/api\/echo/, answer(204));
  front.treat(dataOf("server"), answer(503));
  const answered = page.waitForResponse(/\/api\/echo/);
  await page.evaluate((url) => location.assign(url), app.path("/api/echo/nothing"));
  await answered;
  await linkTo(page, app.path("/server")).click();
  await expect.poll(() => documents(front, app.path("/server")).length).toBe(1);
  await ready(page);
  await expect(page).toHaveURL(front.url("/server"));
});

test("an error and the visit are reported where what pagehide sends is lost", {
  tag: "@verify",
}, async ({ app, front, page, faults }) => {
  faults.allow(/favicon|left early/);
  await page.addInitScript(() => {
    addEventListener("pagehide", () => {
      navigator.sendBeacon = () => true;
    });
  });
  await treatLateScripts(front, "/static", hang);
  await open(page, front.url("/static"));
  await throwInPage(page, "left early");
  await page.goto(`${app.origin}${app.basePath}/api/health/live`);
  await expect.poll(() => errorsSent(front, "left early")).toHaveLength(1);
  await expect.poll(() => itemsSent(front, "transaction")).toHaveLength(1);
});

test.describe("a scroll position", () => {
  test.use({ viewport: { width: 500, height: 300 } });

  test("is kept where what pagehide writes is lost", { tag: "@verify" }, async ({
    app,
    front,
    page,
    faults,
  }) => {
    faults.allow(/favicon/);
    await page.addInitScript(() => {
      addEventListener("pagehide", () => {
        Storage.prototype.setItem = () => {};
        Object.defineProperty(history, "scrollRestoration", { value: "manual" });
      });
    });
    await open(page, front.url("/server"));
    await scrollTo(page, 180);
    await page.goto(`${app.origin}${app.basePath}/api/health/live`);
    await page.goBack();
    await expect(fact(page, "pattern")).toHaveText("/server");
    await expectScroll(page, 180);
  });

  test("is kept where a hash takes effect once more, after the position is restored", {
    tag: "@verify",
  }, async ({ front, page }) => {
    await page.addInitScript(() => {
      const { scrollIntoView } = Element.prototype;
      const counted = window as Window & { pendingScrolls?: number };
      counted.pendingScrolls = 0;
      Element.prototype.scrollIntoView = function (options) {
        scrollIntoView.call(this, options);
        counted.pendingScrolls = (counted.pendingScrolls ?? 0) + 1;
        setTimeout(() => {
          scrollIntoView.call(this, options);
          counted.pendingScrolls = (counted.pendingScrolls ?? 0) - 1;
        }, 200);
      };
    });
    const settled = () =>
      page.waitForFunction(
        () => (window as Window & { pendingScrolls?: number }).pendingScrolls === 0,
      );
    await open(page, front.url("/static#main"));
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(10);
    await settled();
    await scrollTo(page, 10);
    await push(page, "/server");
    await expect(fact(page, "pattern")).toHaveText("/server");
    await page.goBack();
    await expectStages(page, "start history complete");
    await expect(fact(page, "pattern")).toHaveText("/static");
    await settled();
    await expectScroll(page, 10);
    await page.reload();
    await ready(page);
    await settled();
    await expectScroll(page, 10);
    // A hash that is followed anew leads to its target.
    await push(page, "#main");
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(10);
  });
});
