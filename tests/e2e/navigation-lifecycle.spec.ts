import type { NextRouter } from "next/router";
import { expect, test } from "../support/app";
import {
  errorsSent,
  failedNavigationsSent,
  throwInPage,
  untilReportingRuns,
} from "../support/browser-reports";
import {
  eventsOf,
  expectStages,
  isSameDocument,
  linkTo,
  open,
  push,
  pushed,
  recordEvents,
} from "../support/navigation";
import { drop, hang, hold, withHeaders } from "../support/proxy";
import { fact } from "../support/routes";

const slowData = /\/_next\/data\/[^/]+\/en\/slow\.json/;

test("a navigation that is overtaken is cancelled, and only the last one arrives", async ({
  app,
  front,
  page,
}) => {
  const held = hold();
  await open(page, front.url("/failures"));
  front.treat(slowData, held.treatment());
  await linkTo(page, app.path("/slow")).click();
  await expectStages(page, "start");
  await expect.poll(() => front.underWay(slowData)).toBe(1);
  await linkTo(page, app.path("/server")).click();
  await expectStages(page, "start history complete");
  await expect(fact(page, "pattern")).toHaveText("/server");
  held.release();
  await expect.poll(() => front.underWay(slowData)).toBe(0);
  await expect(fact(page, "pattern")).toHaveText("/server");
  expect(front.seen(/\/api\/relay/).filter(({ body }) => body.includes('"exception"'))).toEqual([]);
});

test("a navigation given up for a place on the same page shows as cancelled, and resolves to false", {
  tag: "@verify",
}, async ({ app, front, page }) => {
  const held = hold();
  await open(page, front.url("/static"));
  front.treat(slowData, held.treatment());
  const arrived = pushed(page, "/slow");
  await expectStages(page, "start");
  await push(page, "#main");
  await expectStages(page, "start cancelled");
  held.release();
  expect(await arrived).toBe(false);
  await expect(page).toHaveURL(front.url("/static#main"));
  await linkTo(page, app.path("/server")).click();
  await expectStages(page, "start history complete");
});

test("a shallow push changes path and history, fetches nothing and leaves the focus alone", async ({
  front,
  page,
}) => {
  await open(page, front.url("/server"));
  const made = await fact(page, "rendered-at").textContent();
  const language = page.getByRole("link", { name: "Deutsch" });
  await language.focus();
  await push(page, "/server?view=two", undefined, { shallow: true });
  await expectStages(page, "start history complete");
  await expect(fact(page, "path")).toHaveText("/server?view=two");
  await expect(language).toBeFocused();
  await expect(fact(page, "rendered-at")).toHaveText(`${made}`);
  expect(front.seen(/\/_next\/data\/.*\/server\.json/)).toHaveLength(0);
  await page.goBack();
  await expect(fact(page, "path")).toHaveText("/server");
});

test("a push to an API route only starts, and is a hard navigation", {
  tag: "@only-shell",
}, async ({ app, front, page, faults }) => {
  faults.allow(/favicon/);
  await open(page, front.url("/static", "de"));
  await recordEvents(page);
  await push(page, "/api/echo/one");
  await expect(page).toHaveURL(`${front.origin}${app.basePath}/api/echo/one`);
  expect((await eventsOf(page)).map(([name]) => name)).toEqual(["routeChangeStart"]);
  await page.goBack();
  await expect(fact(page, "locale")).toHaveText("de");
});

test("leaving by a hard navigation while a navigation is under way goes where one wanted last", {
  tag: "@verify",
}, async ({ app, front, page, faults }) => {
  faults.allow(/favicon/);
  await open(page, front.url("/"));
  front.treat(slowData, hang);
  await linkTo(page, app.path("/slow")).click();
  await expectStages(page, "start");
  await expect.poll(() => front.underWay(slowData)).toBe(1);
  await page
    .locator(`a[href^="${app.path("/api/echo")}"]`)
    .first()
    .click();
  await expect(page).toHaveURL(/\/api\/echo/);
  expect(
    front.seen(/\/slow/).filter(({ headers }) => headers["sec-fetch-dest"] === "document"),
  ).toEqual([]);
  expect(front.seen(/\/api\/relay/).filter(({ body }) => body.includes('"exception"'))).toEqual([]);
});

test("a download that is begun while a page is awaited ends nothing: the page arrives, with focus and stages", async ({
  app,
  front,
  page,
}) => {
  const held = hold();
  await open(page, front.url("/"));
  front.treat(slowData, held.treatment());
  front.treat(/\/api\/echo/, withHeaders({ "content-disposition": "attachment" }));
  await linkTo(page, app.path("/slow")).click();
  await expect.poll(() => front.underWay(slowData)).toBe(1);
  const download = page.waitForEvent("download");
  await page.evaluate((url) => location.assign(url), app.path("/api/echo/file"));
  await download;
  held.release();
  await expectStages(page, "start history complete");
  await expect(fact(page, "pattern")).toHaveText("/slow");
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  expect(await isSameDocument(page)).toBe(true);
});

test("a mail, a new window and a visitor who stays end nothing: the page arrives, and what fails meanwhile is reported", {
  tag: "@verify",
}, async ({ app, front, page, faults }) => {
  faults.allow(/meanwhile/);
  const held = hold();
  await open(page, front.url("/"));
  front.treat(slowData, held.treatment());
  await linkTo(page, app.path("/slow")).click();
  await expect.poll(() => front.underWay(slowData)).toBe(1);
  await page.evaluate(() => location.assign("mailto:team@example.com"));
  const popup = page.waitForEvent("popup");
  await page.evaluate((url) => void window.open(url), app.path("/static"));
  await (await popup).close();
  await page.evaluate(() => addEventListener("beforeunload", (event) => event.preventDefault()));
  const asked = page.waitForEvent("dialog");
  page.once("dialog", (dialog) => void dialog.dismiss());
  await page.evaluate((url) => location.assign(url), app.path("/server"));
  await asked;
  await throwInPage(page, "meanwhile");
  await expect.poll(() => errorsSent(front, "meanwhile")).toHaveLength(1);
  held.release();
  await expectStages(page, "start history complete");
  await expect(fact(page, "pattern")).toHaveText("/slow");
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  expect(await isSameDocument(page)).toBe(true);
  // So that the test can leave.
  page.on("dialog", (dialog) => void dialog.accept());
});

test("a page whose data fails right after a download has begun is no hard navigation, but is reported", {
  tag: "@verify",
}, async ({ app, front, page, faults }) => {
  faults.allow(/ERR_EMPTY_RESPONSE/);
  const held = hold();
  await open(page, front.url("/"));
  await untilReportingRuns(front);
  front.treat(slowData, async (exchange) => {
    await held.gate;
    drop(exchange);
  });
  front.treat(/\/api\/echo/, withHeaders({ "content-disposition": "attachment" }));
  await linkTo(page, app.path("/slow")).click();
  await expect.poll(() => front.underWay(slowData)).toBe(1);
  const download = page.waitForEvent("download");
  await page.evaluate((url) => location.assign(url), app.path("/api/echo/file"));
  await download;
  // Later than what the load itself has cancelled, in browsers that do.
  await page.evaluate(() => new Promise((done) => setTimeout(done, 200)));
  held.release();
  await expectStages(page, "start cancelled");
  await expect.poll(() => failedNavigationsSent(front).length).toBe(1);
  expect(await isSameDocument(page)).toBe(true);
  await linkTo(page, app.path("/server")).click();
  await expectStages(page, "start history complete");
});

test("of many navigations to one page that overtake each other, the last arrives, and so does each one after it", {
  tag: "@verify",
}, async ({ front, page }) => {
  await open(page, front.url("/static"));
  await push(page, "/server");
  await expectStages(page, "start history complete");
  const last = await page.evaluate(async () => {
    const { router } = (window as unknown as Record<"next", { router: NextRouter }>).next;
    const pushes: Promise<boolean>[] = [];
    for (let n = 0; n < 10; n++) {
      pushes.push(router.push(`/server?n=${n}`));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return (await Promise.all(pushes)).at(-1);
  });
  expect(last).toBe(true);
  await expectStages(page, "start history complete");
  await expect(fact(page, "path")).toHaveText("/server?n=9");
  expect(await pushed(page, "/server?after")).toBe(true);
  await expectStages(page, "start history complete");
});

test("progress shows only after 150 ms, named, and moves nothing", async ({ app, front, page }) => {
  await page.clock.install();
  await open(page, front.url("/static"));
  const held = hold();
  front.treat(slowData, held.treatment());
  await page.clock.pauseAt(Date.now() + 60_000);
  // Within the page, which a click may scroll.
  const heading = page.getByRole("heading", { level: 1 });
  const placeOfHeading = () =>
    heading.evaluate((element) => {
      const { top, left, width, height } = element.getBoundingClientRect();
      return { top: top + scrollY, left: left + scrollX, width, height };
    });
  const before = await placeOfHeading();
  await linkTo(page, app.path("/slow")).click();
  await expectStages(page, "start");
  await page.clock.runFor(140);
  await expect(page.getByRole("progressbar")).toHaveCount(0);
  await page.clock.runFor(20);
  await expect(page.getByRole("progressbar", { name: "Loading page" })).toBeVisible();
  expect(await placeOfHeading()).toEqual(before);
  await page.clock.resume();
  held.release();
  await expectStages(page, "start history complete");
  await expect(page.getByRole("progressbar")).toHaveCount(0);
  expect(await isSameDocument(page)).toBe(true);
});

test("progress stands still for those who want less motion", { tag: "@verify" }, async ({
  app,
  front,
  page,
}) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, front.url("/static"));
  const held = hold();
  front.treat(slowData, held.treatment());
  await linkTo(page, app.path("/slow")).click();
  await expect(page.getByRole("progressbar")).toHaveCSS("animation-name", "none");
  held.release();
  await expectStages(page, "start history complete");
});
