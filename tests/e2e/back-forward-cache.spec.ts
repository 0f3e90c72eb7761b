import type { Page } from "playwright/test";
import { test as base, expect, type Front } from "../support/app";
import {
  errorEventsSent,
  errorsSent,
  itemsSent,
  throwInPage,
  untilReportingRuns,
} from "../support/browser-reports";
import { expectStages, isSameDocument, linkTo, open, push } from "../support/navigation";
import { drop, hold } from "../support/proxy";
import { expectFacts, fact, pages } from "../support/routes";
import type { App } from "../support/server";

/** As visitors have it: Playwright starts its browser without that cache. */
const test = base.extend({
  launchOptions: [
    async ({ launchOptions }, use) =>
      use({ ...launchOptions, ignoreDefaultArgs: ["--disable-back-forward-cache"] }),
    { scope: "worker" },
  ],
});

// All in one worker: it starts a browser and a server of its own.
test.describe.configure({ mode: "default" });

interface Shown extends Window {
  persisted?: boolean;
}

/** Opens a page by the front, once all that it starts by itself has been started. */
async function settle(page: Page, front: Front, path: string): Promise<void> {
  await page.addInitScript(() => {
    addEventListener("pageshow", (event) => {
      (window as Shown).persisted = event.persisted;
    });
  });
  await open(page, front.url(path));
  await untilReportingRuns(front);
}

/** Goes to another address, and back. */
async function leaveFor(page: Page, url: string): Promise<void> {
  // That of the first load.
  await page.evaluate(() => delete (window as Shown).persisted);
  await page.goto(url);
  await page.goBack({ waitUntil: "commit" });
  await page.waitForFunction(() => (window as Shown).persisted !== undefined);
}

/** Goes to another origin, and back. */
async function leaveAndReturn(page: Page, app: App): Promise<void> {
  await leaveFor(page, `${app.origin}${app.basePath}/api/health/live`);
}

const cameBack = (page: Page) => page.evaluate(() => (window as Shown).persisted);

for (const path of ["/static", "/optional"]) {
  test(`${path} comes back out of the cache as it was, leads on, and reports what goes wrong once`, {
    tag: path === "/static" ? [] : "@verify",
  }, async ({ app, front, page, faults }) => {
    faults.allow(/favicon|after coming back/);
    await settle(page, front, path);
    await leaveAndReturn(page, app);
    expect(await cameBack(page)).toBe(true);
    expect(await isSameDocument(page)).toBe(true);
    const expected = pages.find((one) => one.path === path);
    if (!expected) throw new Error(`tests/support/routes.ts has no ${path}`);
    await expectFacts(page, expected, "en");
    await push(page, "/server");
    await expectStages(page, "start history complete");
    await throwInPage(page, "after coming back");
    await expect.poll(() => errorsSent(front, "after coming back").length).toBe(1);
    expect(await isSameDocument(page)).toBe(true);
    const operations = itemsSent(front, "transaction").map(({ contexts }) => contexts.trace.op);
    expect(operations.filter((op) => op === "pageload")).toHaveLength(1);
  });
}

test("a page that was left before the SDK ran is measured then, and not again when it comes back", {
  tag: "@verify",
}, async ({ app, front, page, faults }) => {
  faults.allow(/favicon/);
  await page.addInitScript(() => {
    addEventListener("pageshow", (event) => {
      (window as Shown).persisted = event.persisted;
    });
  });
  await open(page, front.url("/static"));
  await leaveAndReturn(page, app);
  expect(await cameBack(page)).toBe(true);
  const transactions = (op: string) =>
    // Without the SDK, a page names no operation: the tunnel does.
    itemsSent(front, "transaction").filter(
      ({ contexts }) => (contexts.trace.op ?? "pageload") === op,
    );
  await expect.poll(() => transactions("pageload")).toHaveLength(1);
  await page.waitForFunction(() => "__SENTRY__" in window);
  await linkTo(page, app.path("/server")).click();
  await expectStages(page, "start history complete");
  await expect.poll(() => transactions("navigation")).toHaveLength(1);
  expect(transactions("pageload")).toHaveLength(1);
});

test("a page that comes back has given up the navigation that was under way when it was left", {
  tag: "@verify",
}, async ({ app, front, page, faults }) => {
  faults.allow(/favicon|ERR_|Failed to fetch/);
  const slowData = /\/_next\/data\/[^/]+\/en\/slow\.json/;
  const held = hold();
  await settle(page, front, "/static");
  front.treat(slowData, async (exchange) => {
    await held.gate;
    drop(exchange);
  });
  await linkTo(page, app.path("/slow")).click();
  await expect.poll(() => front.underWay(slowData)).toBe(1);
  await expect(page.getByRole("progressbar")).toBeVisible();
  await leaveAndReturn(page, app);
  expect(await cameBack(page)).toBe(true);
  await expectStages(page, "");
  await expect(page.getByRole("progressbar")).toHaveCount(0);
  held.release();
  await linkTo(page, app.path("/server")).click();
  await expectStages(page, "start history complete");
  await expect(fact(page, "pattern")).toHaveText("/server");
  expect(await isSameDocument(page)).toBe(true);
  expect(errorEventsSent(front)).toEqual([]);
});

test("a page that the browser brings back at its top is scrolled to where it was left", {
  tag: "@verify",
}, async ({ app, front, page, faults }) => {
  faults.allow(/favicon/);
  await page.setViewportSize({ width: 500, height: 300 });
  // Safari restores the position only later.
  await page.addInitScript(() => {
    addEventListener("pageshow", ({ persisted }) => persisted && scrollTo(0, 0));
  });
  await settle(page, front, "/static");
  await page.evaluate(() => scrollTo({ top: 120, behavior: "instant" }));
  await leaveAndReturn(page, app);
  expect(await cameBack(page)).toBe(true);
  expect(await isSameDocument(page)).toBe(true);
  await expect.poll(() => page.evaluate(() => Math.round(scrollY))).toBe(120);
});

test("nothing but that it may not be stored keeps a server-rendered page out of the cache", {
  tag: "@verify",
}, async ({ app, front, page, faults }) => {
  faults.allow(/favicon/);
  await settle(page, front, "/server");
  await leaveAndReturn(page, app);
  const reasons = await page.evaluate(() => {
    const [load] = performance.getEntriesByType("navigation") as unknown as {
      notRestoredReasons?: { reasons: { reason: string }[] } | null;
    }[];
    return load?.notRestoredReasons?.reasons.map(({ reason }) => reason) ?? [];
  });
  expect(reasons.filter((reason) => !reason.includes("no-store"))).toEqual([]);
  await expect(fact(page, "pattern")).toHaveText("/server");
});

test("rejections of a page on its way into the cache are reported once, at the latest as it comes back", {
  tag: "@verify",
}, async ({ front, page, faults }) => {
  faults.allow(/favicon|on the way/);
  await settle(page, front, "/static");
  await page.evaluate(() => {
    addEventListener("pagehide", () => {
      Promise.reject(new Error("on the way: pagehide"));
      setTimeout(() => Promise.reject(new Error("on the way: a task later")));
    });
    addEventListener("visibilitychange", () => {
      if (document.hidden) Promise.reject(new Error("on the way: hidden"));
    });
  });
  await leaveFor(page, "about:blank");
  expect(await cameBack(page)).toBe(true);
  const sent = () =>
    errorEventsSent(front)
      .map(({ exception }) => exception.values[0]?.value)
      .sort();
  const all = ["on the way: a task later", "on the way: hidden", "on the way: pagehide"];
  await expect.poll(sent).toEqual(all);
});
