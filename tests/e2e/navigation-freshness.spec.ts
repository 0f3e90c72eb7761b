import type { NextRouter } from "next/router";
import type { Page } from "playwright/test";
import { expect, type Front, test } from "../support/app";
import { expectStages, linkTo, open, ready } from "../support/navigation";
import { answer, hold, withHeaders } from "../support/proxy";
import { fact } from "../support/routes";

const staticData = /\/_next\/data\/[^/]+\/en\/static\.json/;
const anyData = /\/_next\/data\//;

/**
 * Has the data of `/static` fetched ahead. The proxy says that it has been on its way for so many
 * seconds already, which is what time is to the browser's cache.
 */
async function fetchedAhead(page: Page, front: Front, path: string, age: number) {
  front.treat(staticData, withHeaders({ age: String(age) }));
  await open(page, front.url("/failures"));
  await linkTo(page, path).hover();
  await expect.poll(() => front.seen(staticData).length).toBe(1);
  await expect.poll(() => front.underWay(staticData)).toBe(0);
  front.treat(staticData, withHeaders({ age: "0" }));
}

test("data fetched less than 30 s ago serves the click and going back, without a request", {
  tag: "@only-shell",
}, async ({ app, front, page }) => {
  await fetchedAhead(page, front, app.path("/static"), 15);
  await linkTo(page, app.path("/static")).click();
  await expectStages(page, "start history complete");
  await linkTo(page, app.path("/server")).click();
  await expect(fact(page, "pattern")).toHaveText("/server");
  await page.goBack();
  await expect(fact(page, "pattern")).toHaveText("/static");
  expect(front.seen(staticData)).toHaveLength(1);
});

test("older data is shown at once while one request renews it", async ({ app, front, page }) => {
  await fetchedAhead(page, front, app.path("/static"), 40);
  const held = hold();
  front.treat(staticData, held.treatment({ age: "0" }));
  await linkTo(page, app.path("/static")).click();
  await expectStages(page, "start history complete");
  await expect.poll(() => front.seen(staticData).length).toBe(2);
  held.release();
  await expect.poll(() => front.underWay(staticData)).toBe(0);
  await linkTo(page, app.path("/server")).click();
  await expect(fact(page, "pattern")).toHaveText("/server");
  await linkTo(page, app.path("/static")).click();
  await expect(fact(page, "pattern")).toHaveText("/static");
  expect(front.seen(staticData).map(({ method }) => method)).toEqual(["GET", "GET"]);
});

test("data older than 5 min is not shown any more", { tag: "@verify" }, async ({
  app,
  front,
  page,
}) => {
  await fetchedAhead(page, front, app.path("/static"), 301);
  const held = hold();
  front.treat(staticData, held.treatment({ age: "0" }));
  await linkTo(page, app.path("/static")).click();
  await expectStages(page, "start");
  await expect.poll(() => front.seen(staticData).length).toBe(2);
  held.release();
  await expectStages(page, "start history complete");
  expect(front.seen(staticData)).toHaveLength(2);
});

test("data that could not be had ahead is asked for again by the click", {
  tag: "@verify",
}, async ({ app, front, page, faults }) => {
  faults.allow(/503/);
  const mended = front.treat(staticData, answer(503));
  await open(page, front.url("/failures"));
  await linkTo(page, app.path("/static")).hover();
  await expect.poll(() => front.seen(staticData).length).toBe(1);
  await expect.poll(() => front.underWay(staticData)).toBe(0);
  mended();
  await linkTo(page, app.path("/static")).click();
  await expectStages(page, "start history complete");
  await expect(fact(page, "pattern")).toHaveText("/static");
  expect(front.seen(staticData)).toHaveLength(2);
});

test("server-rendered data is fetched anew each time, and never ahead", async ({
  app,
  front,
  page,
}) => {
  const serverData = /\/_next\/data\/[^/]+\/en\/server\.json/;
  await open(page, front.url("/failures"));
  for (const visit of [1, 2]) {
    await linkTo(page, app.path("/server")).hover();
    await linkTo(page, app.path("/server")).click();
    await expect(fact(page, "pattern")).toHaveText("/server");
    expect(front.seen(serverData)).toHaveLength(visit);
    await linkTo(page, app.path("/failures")).click();
    await expect(fact(page, "pattern")).toHaveText("/failures");
  }
  const [first] = front.seen(serverData);
  expect(first?.method).toBe("GET");
  expect(first?.headers).toMatchObject({ "x-nextjs-data": "1" });
  expect(first?.headers.purpose).toBeUndefined();
});

/** Fetches pages ahead, as any component may. @returns how many have been, when all are through */
function prefetch(page: Page, paths: string[]): Promise<number> {
  return page.evaluate(async (all) => {
    const { router } = (window as unknown as Record<"next", { router: NextRouter }>).next;
    return (await Promise.all(all.map((path) => router.prefetch(path)))).length;
  }, paths);
}

test("nothing is fetched ahead before the page has loaded", async ({ front, page }) => {
  const held = hold();
  front.treat(/icon\.svg\?late/, held.treatment());
  const icon = front.url("/icon.svg");
  await page.addInitScript((src) => {
    addEventListener("DOMContentLoaded", () => {
      const image = new Image();
      image.src = `${src}?late`;
      document.body.append(image);
    });
  }, icon);
  await page.goto(front.url("/failures"), { waitUntil: "commit" });
  await ready(page);
  const done = prefetch(page, ["/incremental/many-0"]);
  // What is asked for later is here: the page's data would be too.
  expect(await page.evaluate((url) => fetch(url).then(({ status }) => status), icon)).toBe(200);
  expect(front.seen(/many-/)).toEqual([]);
  held.release();
  expect(await done).toBe(1);
  expect(front.seen(/many-/)).toHaveLength(1);
});

test("nothing is fetched ahead for a visitor who saves data", { tag: "@verify" }, async ({
  front,
  page,
}) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "connection", { value: { saveData: true } });
  });
  await open(page, front.url("/failures"));
  expect(await prefetch(page, ["/incremental/many-0"])).toBe(1);
  expect(front.seen(anyData)).toEqual([]);
});

test("no more than five pages are fetched ahead at once", { tag: "@verify" }, async ({
  front,
  page,
}) => {
  const held = hold();
  front.treat(anyData, held.treatment());
  await open(page, front.url("/failures"));
  const slugs = Array.from({ length: 12 }, (_, index) => `/incremental/many-${index}`);
  const done = prefetch(page, slugs);
  await expect.poll(() => front.underWay(/many-/)).toBe(5);
  held.release();
  expect(await done).toBe(12);
  expect(front.seen(/many-/)).toHaveLength(12);
  for (const { headers } of front.seen(/many-/)) expect(headers.purpose).toBe("prefetch");
});
