import { expect, type Front, test } from "../support/app";
import { failedNavigationsSent, untilReportingRuns } from "../support/browser-reports";
import {
  documents,
  expectStages,
  isSameDocument,
  linkTo,
  open,
  push,
  ready,
} from "../support/navigation";
import { answer, hang, hold, type Treatment } from "../support/proxy";
import { fact } from "../support/routes";

/** Fails until the browser asks for the whole page. */
function untilLoaded(front: Front, path: string, treatment: Treatment): Treatment {
  return (exchange) => (documents(front, path).length ? exchange.pass() : treatment(exchange));
}

for (const [fault, treatment] of Object.entries({
  "does not exist any more": answer(404),
  "does not come in 3.8 s": hang,
})) {
  test(`a page whose script ${fault} is loaded whole, once`, {
    tag: fault.includes("exist") ? [] : ["@only-shell", "@verify"],
  }, async ({ app, front, page, faults: watched }) => {
    watched.allow(/404|ERR_ABORTED|preload/);
    const path = app.path("/dynamic/a-1");
    await open(page, front.url("/static"));
    await untilReportingRuns(front);
    front.treat(/\/_next\/static\/chunks\//, untilLoaded(front, path, treatment));
    await linkTo(page, path).click();
    await expect(fact(page, "pattern")).toHaveText("/dynamic/[id]");
    await ready(page);
    await expect.poll(() => failedNavigationsSent(front).length).toBe(1);
    expect(documents(front, path)).toHaveLength(1);
  });
}

test("a page whose script was being fetched ahead, in vain, when it was asked for is loaded whole", {
  tag: "@verify",
}, async ({ app, front, page, faults: watched }) => {
  watched.allow(/404/);
  const path = app.path("/dynamic/a-1");
  const scripts = /\/_next\/static\/chunks\/.*\.js/;
  const held = hold();
  await open(page, front.url("/static"));
  await untilReportingRuns(front);
  front.treat(
    scripts,
    untilLoaded(front, path, async (exchange) => {
      if (exchange.req.headers["sec-fetch-dest"] !== "script") {
        return exchange.pass({ "cache-control": "no-store" });
      }
      await held.gate;
      answer(404)(exchange);
    }),
  );
  await linkTo(page, path).hover();
  await expect.poll(() => front.underWay(scripts)).toBe(1);
  await linkTo(page, path).click();
  await expectStages(page, "start");
  held.release();
  await expect(fact(page, "pattern")).toHaveText("/dynamic/[id]");
  expect(documents(front, path)).toHaveLength(1);
});

test("a page whose script comes after another page was asked for is not shown any more", {
  tag: "@verify",
}, async ({ app, front, page }) => {
  const scripts = /\/_next\/static\/chunks\/.*\.js/;
  const held = hold();
  await open(page, front.url("/static"));
  await untilReportingRuns(front);
  const mended = front.treat(scripts, held.treatment());
  await linkTo(page, app.path("/dynamic/a-1")).click();
  await expect.poll(() => front.underWay(scripts)).toBeGreaterThan(0);
  mended();
  await push(page, "/static?second=yes");
  await expect(fact(page, "path")).toHaveText("/static?second=yes");
  held.release();
  await expect.poll(() => front.underWay(scripts)).toBe(0);
  await linkTo(page, app.path("/dynamic/a-1")).hover();
  await expect(fact(page, "path")).toHaveText("/static?second=yes");
  expect(await isSameDocument(page)).toBe(true);
  expect(failedNavigationsSent(front)).toEqual([]);
});

test("texts of a language that can't be had come with a hard navigation to the page", {
  tag: "@verify",
}, async ({ app, front, page, faults: watched }) => {
  watched.allow(/404/);
  const path = app.path("/static", "de");
  await open(page, front.url("/static#main"));
  await untilReportingRuns(front);
  front.treat(/\/_next\/static\/chunks\//, untilLoaded(front, path, answer(404)));
  await linkTo(page, `${path}#main`).click();
  await expect(page.getByRole("link", { name: "Zum Inhalt" })).toBeAttached();
  await ready(page);
  await expect(page).toHaveURL(front.url("/static#main", "de"));
  expect(documents(front, path)).toHaveLength(1);
});
