import type { NextRouter } from "next/router";
import { expect, test } from "../support/app";
import {
  errorEventsSent,
  failedNavigationsSent,
  untilReportingRuns,
} from "../support/browser-reports";
import {
  dataOf,
  documents,
  expectStages,
  isSameDocument,
  linkTo,
  open,
  push,
  ready,
} from "../support/navigation";
import { answer, cutShort, drop, hold, type Treatment, withHeaders } from "../support/proxy";
import { fact } from "../support/routes";

const faults: Record<string, Treatment> = {
  "the server fails": answer(503, '{"error":"down"}'),
  "the connection is cut": drop,
  "the answer breaks off": cutShort,
  "a page of another's stands in the way": answer(
    200,
    "<!doctype html><h1>Log in</h1>",
    "text/html",
  ),
  "the data is empty": answer(200, "{}"),
  "the data is null": answer(200, "null"),
  "the build is gone": answer(404, "<!doctype html>Not found", "text/html"),
  "the data is of another build": withHeaders({ "x-nextjs-deployment-id": "another" }),
};

/** The faults that `npm test` tries: data that is none, and a build that is gone. */
const quick = ["the data is empty", "the build is gone"];

for (const [index, [fault, treatment]] of Object.entries(faults).entries()) {
  for (const target of [["/server", "/static"][index % 2] ?? ""]) {
    test(`${target} is loaded whole, once, and one report is made, when ${fault}`, {
      tag: quick.includes(fault) ? [] : target === "/static" ? "@only-shell" : "@verify",
    }, async ({ app, front, page, faults: watched }) => {
      watched.allow(/./);
      const path = app.path(target);
      await open(page, front.url("/failures"));
      await untilReportingRuns(front);
      front.treat(dataOf(target.slice(1)), treatment);
      await linkTo(page, path).click();
      await expect(fact(page, "pattern")).toHaveText(target);
      await ready(page);
      await expect(page).toHaveURL(front.url(target));
      await expect.poll(() => failedNavigationsSent(front).length).toBe(1);
      expect(errorEventsSent(front)).toHaveLength(1);
      expect(documents(front, path)).toHaveLength(1);
      await page.goBack();
      await expect(fact(page, "pattern")).toHaveText("/failures");
    });
  }
}

test("the page that is here already is loaded whole when it can't be had again", {
  tag: "@verify",
}, async ({ app, front, page, faults: watched }) => {
  watched.allow(/503/);
  const path = app.path("/server");
  await open(page, front.url("/server"));
  const mended = front.treat(dataOf("server"), answer(503));
  for (const loads of [2, 3]) {
    await linkTo(page, path).click();
    await expect.poll(() => documents(front, path).length).toBe(loads);
    await ready(page);
  }
  mended();
  await linkTo(page, path).click();
  await expectStages(page, "start history complete");
  expect(documents(front, path)).toHaveLength(3);
});

test("going back to a page that can't be had loads it whole, also with a hash", async ({
  app,
  front,
  page,
  faults: watched,
}) => {
  watched.allow(/503/);
  await open(page, front.url("/server#main"));
  await linkTo(page, app.path("/static")).click();
  await expect(fact(page, "pattern")).toHaveText("/static");
  front.treat(dataOf("server"), answer(503));
  await page.goBack();
  await expect(fact(page, "pattern")).toHaveText("/server");
  await expect(page).toHaveURL(front.url("/server#main"));
  expect(await isSameDocument(page)).toBe(false);
  expect(documents(front, app.path("/server"))).toHaveLength(2);
});

test("a navigation that another took over fails without a word", { tag: "@verify" }, async ({
  app,
  front,
  page,
  faults: watched,
}) => {
  watched.allow(/ERR_EMPTY_RESPONSE|ERR_ABORTED|Failed to fetch/);
  const held = hold();
  await open(page, front.url("/failures"));
  front.treat(dataOf("server"), async (exchange) => {
    await held.gate;
    drop(exchange);
  });
  await linkTo(page, app.path("/server")).click();
  await expectStages(page, "start");
  await expect.poll(() => front.underWay(dataOf("server"))).toBe(1);
  await linkTo(page, app.path("/static")).click();
  await expect(fact(page, "pattern")).toHaveText("/static");
  const failed = page.waitForEvent("requestfailed");
  held.release();
  await failed;
  await linkTo(page, app.path("/")).click();
  await expect(fact(page, "pattern")).toHaveText("/");
  expect(await isSameDocument(page)).toBe(true);
  expect(documents(front, app.path("/server"))).toHaveLength(0);
  expect(errorEventsSent(front)).toHaveLength(0);
});

test("an address that can't be decoded is left to the server, which answers 400", {
  tag: "@only-shell",
}, async ({ app, front, page, faults: watched }) => {
  watched.allow(/400/);
  const path = app.path("/dynamic/%E0%A4%A");
  await open(page, front.url("/static"));
  const answered = page.waitForResponse((response) => response.url() === front.origin + path);
  await push(page, "/dynamic/%E0%A4%A");
  expect((await answered).status()).toBe(400);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  expect(documents(front, path)).toHaveLength(1);
});

test("a link to what is no page is left to the server, as often as it is followed, and is no error", async ({
  app,
  front,
  page,
  faults: watched,
}) => {
  watched.allow(/404/);
  const path = app.path("/nowhere/at/all");
  await open(page, front.url("/static"));
  await untilReportingRuns(front);
  for (const times of [1, 2]) {
    await push(page, "/nowhere/at/all");
    await expect.poll(() => documents(front, path).length).toBe(times);
    await ready(page);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Page not found");
  }
  await untilReportingRuns(front);
  expect(errorEventsSent(front)).toEqual([]);
});

test("an app that refreshes the page as it loads makes no loop of a missing one", {
  tag: "@verify",
}, async ({ app, front, page, faults: watched }) => {
  watched.allow(/404/);
  await page.addInitScript(() => {
    addEventListener("load", async () => {
      const { router } = (window as unknown as Record<"next", { router: NextRouter }>).next;
      const arrived = await router.replace(router.asPath);
      Object.assign(window, { arrived });
    });
  });
  await page.goto(front.url("/nowhere/at/all"));
  await page.waitForFunction(() => "arrived" in window);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Page not found");
  expect(documents(front, app.path("/nowhere/at/all"))).toHaveLength(2);
});
