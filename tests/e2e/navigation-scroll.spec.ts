import { expect, test } from "../support/app";
import {
  expectScroll,
  expectStages,
  linkTo,
  open,
  push,
  ready,
  scrollTo,
} from "../support/navigation";
import { answer, hold } from "../support/proxy";
import { fact } from "../support/routes";

test.use({ viewport: { width: 500, height: 300 } });

const serverData = /\/_next\/data\/[^/]+\/en\/server\.json/;

test("back and forward bring back the position, also over a slow page", async ({ front, page }) => {
  await open(page, front.url("/server"));
  expect(await page.evaluate(() => history.scrollRestoration)).toBe("manual");
  await scrollTo(page, 180);
  await push(page, "/static");
  await expect(fact(page, "pattern")).toHaveText("/static");
  await expectScroll(page, 0);
  await scrollTo(page, 120);

  const held = hold();
  front.treat(serverData, held.treatment());
  await page.goBack();
  await expectStages(page, "start");
  await expectScroll(page, 120);
  held.release();
  await expect(fact(page, "pattern")).toHaveText("/server");
  await expectScroll(page, 180);

  await page.goForward();
  await expect(fact(page, "pattern")).toHaveText("/static");
  await expectScroll(page, 120);
});

test("a reload keeps the position, and so do the pages before and after it", async ({
  front,
  page,
}) => {
  await open(page, front.url("/server"));
  await scrollTo(page, 180);
  await push(page, "/static");
  await expect(fact(page, "pattern")).toHaveText("/static");
  await scrollTo(page, 120);
  await page.reload();
  await ready(page);
  await expectScroll(page, 120);
  await page.goBack();
  await expect(fact(page, "pattern")).toHaveText("/server");
  await expectScroll(page, 180);
  await page.reload();
  await ready(page);
  await expectScroll(page, 180);
  await page.goForward();
  await expect(fact(page, "pattern")).toHaveText("/static");
  await expectScroll(page, 120);
});

test("coming back from another origin brings back the position", async ({
  app,
  front,
  page,
  faults,
}) => {
  faults.allow(/favicon/);
  await open(page, front.url("/server"));
  await scrollTo(page, 180);
  await page.goto(`${app.origin}${app.basePath}/api/health/live`);
  await page.goBack();
  await expect(fact(page, "pattern")).toHaveText("/server");
  await expectScroll(page, 180);
});

test("a page that scrolls on while the next is awaited is found there again", {
  tag: "@verify",
}, async ({ front, page }) => {
  const held = hold();
  await open(page, front.url("/static"));
  front.treat(serverData, held.treatment());
  await scrollTo(page, 60);
  await push(page, "/server");
  await expectStages(page, "start");
  await scrollTo(page, 140);
  held.release();
  await expect(fact(page, "pattern")).toHaveText("/server");
  await page.goBack();
  await expect(fact(page, "pattern")).toHaveText("/static");
  await expectScroll(page, 140);
});

test("who goes back quickly, twice or on to another page, finds each position again", {
  tag: "@verify",
}, async ({ front, page }) => {
  await open(page, front.url("/static"));
  await scrollTo(page, 60);
  await push(page, "/server");
  await expect(fact(page, "pattern")).toHaveText("/server");
  await scrollTo(page, 120);
  await push(page, "/incremental/alpha");
  await expect(fact(page, "pattern")).toHaveText("/incremental/[slug]");
  await scrollTo(page, 20);
  const held = hold();
  front.treat(serverData, held.treatment());
  await page.goBack();
  await expectStages(page, "start");
  await page.goBack();
  await expect(fact(page, "pattern")).toHaveText("/static");
  await expectScroll(page, 60);
  held.release();
  await page.goForward();
  await expect(fact(page, "pattern")).toHaveText("/server");
  await expectScroll(page, 120);

  await push(page, "/static");
  await expect(fact(page, "pattern")).toHaveText("/static");
  await scrollTo(page, 30);
  const heldAgain = hold();
  front.treat(serverData, heldAgain.treatment());
  await page.goBack();
  await expectStages(page, "start");
  await push(page, "/incremental/beta");
  await expect(fact(page, "pattern")).toHaveText("/incremental/[slug]");
  heldAgain.release();
  await page.goBack();
  await expect(fact(page, "pattern")).toHaveText("/server");
  await expectScroll(page, 120);
});

test("a reload while the page before is awaited shows that page where it was", {
  tag: "@verify",
}, async ({ front, page }) => {
  await open(page, front.url("/server"));
  await scrollTo(page, 120);
  await push(page, "/static");
  await expect(fact(page, "pattern")).toHaveText("/static");
  await scrollTo(page, 20);
  const held = hold();
  front.treat(serverData, held.treatment());
  await page.goBack();
  await expectStages(page, "start");
  await page.reload();
  await ready(page);
  await expect(fact(page, "pattern")).toHaveText("/server");
  await expectScroll(page, 120);
  held.release();
});

test("going back to a page that now redirects shows the top of where it leads", {
  tag: "@verify",
}, async ({ front, page }) => {
  await open(page, front.url("/server"));
  await scrollTo(page, 120);
  await push(page, "/incremental/alpha");
  await expect(fact(page, "pattern")).toHaveText("/incremental/[slug]");
  const redirect = { pageProps: { __N_REDIRECT: "/static", __N_REDIRECT_STATUS: 307 } };
  front.treat(serverData, answer(200, JSON.stringify({ ...redirect, __N_SSP: true })));
  await page.goBack();
  await expect(fact(page, "pattern")).toHaveText("/static");
  await expectStages(page, "start history complete");
  await expectScroll(page, 0);
});

test("Back to an entry whose state a script has replaced loads its page whole", async ({
  front,
  page,
}) => {
  await open(page, front.url("/static"));
  await page.evaluate(() => history.replaceState(null, "", "?utm_cleaned=1"));
  await push(page, "/server");
  await expect(fact(page, "pattern")).toHaveText("/server");
  await page.goBack();
  await expect(fact(page, "path")).toHaveText("/static?utm_cleaned=1");
  await expect(page).toHaveURL(front.url("/static?utm_cleaned=1"));
});

for (const [browsers, tag] of [
  ["", []],
  [", in browsers without the Navigation API", ["@verify"]],
] satisfies [string, string[]][]) {
  test(`a hash goes to its target, and back to where one was${browsers}`, { tag }, async ({
    front,
    page,
  }) => {
    if (browsers) {
      await page.addInitScript(() =>
        Object.defineProperty(window, "navigation", { value: undefined }),
      );
    }
    await open(page, front.url("/static"));
    await page.evaluate(() => {
      document.querySelector("footer")?.setAttribute("id", "the-end");
    });
    await scrollTo(page, 60);
    await push(page, "#the-end");
    await expect(page).toHaveURL(front.url("/static#the-end"));
    await expect(page.locator("#the-end")).toBeInViewport();
    await expect(page.locator("#the-end")).toBeFocused();
    await page.goBack();
    await expect(page).toHaveURL(front.url("/static"));
    await expectScroll(page, 60);
    await page.goForward();
    await expect(page.locator("#the-end")).toBeInViewport();
  });
}

test("a page with a hash is found where it was left, not at the hash, by going back and by a reload", {
  tag: "@verify",
}, async ({ front, page }) => {
  await open(page, front.url("/static#main"));
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0);
  await scrollTo(page, 10);
  await push(page, "/server");
  await expect(fact(page, "pattern")).toHaveText("/server");
  await page.goBack();
  await expect(fact(page, "pattern")).toHaveText("/static");
  await expectScroll(page, 10);
  await page.reload();
  await ready(page);
  await expectScroll(page, 10);
});

test("a change of language keeps the hash, and a link with one leads to its target", {
  tag: "@verify",
}, async ({ app, front, page }) => {
  await open(page, front.url("/static?a=1#main"));
  await linkTo(page, `${app.path("/static", "de")}?a=1#main`).click();
  await expect(page).toHaveURL(front.url("/static?a=1#main", "de"));
  await expect(fact(page, "locale")).toHaveText("de");
  await expect(page.getByRole("main")).toBeFocused();
});
