import type { NextRouter } from "next/router";
import { expect, test } from "../support/app";
import {
  dataOf,
  documents,
  eventsOf,
  expectStages,
  isSameDocument,
  linkTo,
  open,
  push,
  ready,
  recordEvents,
} from "../support/navigation";
import { answer, hold } from "../support/proxy";
import { fact } from "../support/routes";

const deep = { shallow: false };

test("events name the whole path and whether the page stays: arriving, at a hash, cancelled, in vain", {
  tag: "@only-shell",
}, async ({ app, front, page, faults }) => {
  faults.allow(/503/);
  const [slow, server, dynamic] = ["/slow", "/server", "/dynamic/a-1"].map((to) => app.path(to));
  await open(page, front.url("/static"));
  await recordEvents(page);
  const held = hold();
  front.treat(dataOf("slow"), held.treatment());
  await push(page, "/slow");
  await expect.poll(() => front.underWay(dataOf("slow"))).toBe(1);
  await push(page, "/server");
  await expect(fact(page, "pattern")).toHaveText("/server");
  held.release();
  await push(page, "/server#main");
  // The URL changes before the event.
  await expect.poll(async () => (await eventsOf(page)).at(-1)?.[0]).toBe("hashChangeComplete");
  front.treat(dataOf("dynamic/a-1"), answer(503));
  await push(page, "/dynamic/a-1");
  await expect.poll(() => documents(front, `${dynamic}`).length).toBe(1);
  await ready(page);
  expect(await eventsOf(page)).toEqual([
    ["routeChangeStart", slow, deep],
    ["routeChangeError", "Route Cancelled", true, slow, deep],
    ["routeChangeStart", server, deep],
    ["beforeHistoryChange", server, deep],
    ["routeChangeComplete", server, deep],
    ["hashChangeStart", `${server}#main`, deep],
    ["hashChangeComplete", `${server}#main`, deep],
    ["routeChangeStart", dynamic, deep],
    ["routeChangeError", "Failed to load static props", null, dynamic, deep],
  ]);
});

test("what an app's listener throws is no failed navigation: it may keep the visitor on the page", {
  tag: "@verify",
}, async ({ app, front, page, faults }) => {
  faults.allow(/on purpose/);
  const target = app.path("/server");
  await open(page, front.url("/static"));
  await page.evaluate(() => {
    const { events } = (window as unknown as Record<"next", { router: NextRouter }>).next.router;
    const stay = () => {
      events.off("routeChangeStart", stay);
      events.emit("routeChangeError");
      throw new Error("The form is not saved, on purpose");
    };
    events.on("routeChangeStart", stay);
    events.on("routeChangeComplete", () => {
      throw new Error("No analytics here, on purpose");
    });
  });
  await linkTo(page, target).click();
  await expectStages(page, "start cancelled");
  await expect(page).toHaveURL(front.url("/static"));
  await linkTo(page, target).click();
  await expectStages(page, "start history complete");
  await expect(fact(page, "pattern")).toHaveText("/server");
  await linkTo(page, app.path("/static")).click();
  await expect(fact(page, "pattern")).toHaveText("/static");
  expect(await isSameDocument(page)).toBe(true);
  expect(documents(front, target)).toEqual([]);
});

test("one request is made however often a link is clicked while the page is awaited", async ({
  app,
  front,
  page,
}) => {
  const held = hold();
  await open(page, front.url("/static"));
  front.treat(dataOf("slow"), held.treatment());
  for (let clicks = 0; clicks < 4; clicks++) await linkTo(page, app.path("/slow")).click();
  held.release();
  await expect(fact(page, "pattern")).toHaveText("/slow");
  expect(front.seen(dataOf("slow"))).toHaveLength(1);
});

test("after shallow changes, going back to another page's neighbour fetches its data anew", {
  tag: "@verify",
}, async ({ app, front, page }) => {
  await open(page, front.url("/server"));
  const first = await fact(page, "rendered-at").textContent();
  await push(page, "/server?view=two", undefined, { shallow: true });
  await expect(fact(page, "path")).toHaveText("/server?view=two");
  await push(page, "/server", undefined, { shallow: true });
  await expect(fact(page, "path")).toHaveText("/server");
  await expect(fact(page, "rendered-at")).toHaveText(`${first}`);
  await linkTo(page, app.path("/static")).click();
  await expect(fact(page, "pattern")).toHaveText("/static");
  await page.goBack();
  await expect(fact(page, "pattern")).toHaveText("/server");
  await expect(fact(page, "rendered-at")).not.toHaveText(`${first}`);
  await page.goForward();
  await expect(fact(page, "pattern")).toHaveText("/static");
  expect(await isSameDocument(page)).toBe(true);
});

test("a redirect and a page that is missing leave the way back as it was, without a hard navigation", async ({
  app,
  front,
  page,
  faults,
}) => {
  faults.allow(/404/);
  await open(page, front.url("/static"));
  await push(page, "/moved");
  await expect(page).toHaveURL(front.url("/server"));
  await page.goBack();
  await expect(page).toHaveURL(front.url("/static"));
  await push(page, "/missing");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Page not found");
  await page.goBack();
  await expect(fact(page, "pattern")).toHaveText("/static");
  expect(await isSameDocument(page)).toBe(true);
  expect(documents(front, app.path("/missing"))).toEqual([]);
});

test("a history event that tells of the page that is here right after a load, as some browsers do, is not heeded", {
  tag: "@verify",
}, async ({ front, page }) => {
  await open(page, front.url("/catch-all/a", "de"));
  const tellOf = (url: string) =>
    page.evaluate((state) => dispatchEvent(new PopStateEvent("popstate", { state })), {
      url,
      as: "/catch-all/a",
      options: { locale: "de" },
      __N: true,
      key: "",
    });
  await recordEvents(page);
  await tellOf("/dynamic/[id]?id=a");
  await push(page, "#main");
  await expect(page).toHaveURL(/#main$/);
  await expect(fact(page, "pattern")).toHaveText("/catch-all/[...path]");
  expect((await eventsOf(page)).map(([name]) => name)).toEqual([
    "hashChangeStart",
    "hashChangeComplete",
  ]);
});
