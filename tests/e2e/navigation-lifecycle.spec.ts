import { expect, test } from "../support/app";
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
import { hang, hold } from "../support/proxy";
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
