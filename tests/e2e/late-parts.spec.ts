import type { Page } from "playwright/test";
import { test as base, expect, type Front } from "../support/app";
import { errorEventsSent, treatLateScripts, untilReportingRuns } from "../support/browser-reports";
import { buildCopy } from "../support/build-copy";
import {
  documents,
  expectStages,
  isSameDocument,
  linkTo,
  open,
  ready,
} from "../support/navigation";
import { answer } from "../support/proxy";
import { fact } from "../support/routes";
import { startApp } from "../support/server";

const test = base.extend({
  app: [
    async ({ variant }, use) => {
      const folder = await buildCopy("parts", {
        "pages/parts.tsx": "tests/support/parts/page.tsx",
        "tests/support/parts/part.tsx": "tests/support/parts/part.tsx",
      });
      const app = await startApp(variant, {}, folder);
      await use(app);
      await app.stop();
    },
    { scope: "worker", timeout: 300_000 },
  ],
});

// All in one worker: the build is made once.
test.describe.configure({ mode: "default" });

const part = (page: Page) => page.getByText("The part is here");

/** Opens the page; from then on nothing more of the app can be had. @returns what ends that */
async function openAndLose(page: Page, front: Front): Promise<() => void> {
  await open(page, front.url("/parts"));
  await untilReportingRuns(front);
  return treatLateScripts(front, "/parts", answer(404));
}

/** Waits for the hard navigation that a click brings about. */
async function untilLoadedAnew(page: Page): Promise<void> {
  await expect.poll(() => isSameDocument(page).catch(() => true)).toBe(false);
  await ready(page);
}

for (const way of ["next/dynamic", "React.lazy", "import()"]) {
  test(`a part loaded by ${way} that is gone comes with one hard navigation, and one report`, {
    tag: ["@only-default", "@verify"],
  }, async ({ front, page, faults }) => {
    faults.allow(/404|ChunkLoadError/);
    const mended = await openAndLose(page, front);
    const button = page.getByRole("button", { name: way });
    await button.click();
    await untilLoadedAnew(page);
    mended();
    await button.click();
    await expect(part(page)).toBeVisible();
    expect(documents(front, "/parts")).toHaveLength(2);
    await expect.poll(() => errorEventsSent(front).length).toBe(1);
    expect(errorEventsSent(front)[0]).toMatchObject({
      transaction: "/parts",
      exception: { values: [{ type: "ChunkLoadError" }] },
    });
  });
}

test("a part by next/dynamic that is gone for good leads to the error page, not into a loop", {
  tag: ["@only-default", "@verify"],
}, async ({ front, page, faults }) => {
  faults.allow(/404|ChunkLoadError/);
  await openAndLose(page, front);
  const button = page.getByRole("button", { name: "next/dynamic" });
  await button.click();
  await untilLoadedAnew(page);
  await button.click();
  await expect(fact(page, "reference")).toHaveText(/^[0-9a-f]{32}$/);
  expect(documents(front, "/parts")).toHaveLength(2);
});

test("a page of a build that is gone goes on with the one that answers, by one hard navigation and a report", {
  tag: ["@only-default", "@verify"],
}, async ({ front, launch, page, faults }) => {
  faults.allow(/404|MIME type/);
  const newer = await launch();
  await open(page, front.url("/failures"));
  await untilReportingRuns(front);
  front.pointAt(newer.origin);
  await linkTo(page, "/static").click();
  await expect(fact(page, "pattern")).toHaveText("/static");
  await ready(page);
  await linkTo(page, "/server").click();
  await expectStages(page, "start history complete");
  expect(await isSameDocument(page)).toBe(true);
  expect(documents(front, "/static")).toHaveLength(1);
  await expect.poll(() => errorEventsSent(front).length).toBe(1);
  expect(errorEventsSent(front)[0]).toMatchObject({ transaction: "/static" });
});

test("a part that can't be had while there is no network leaves the page as it is", {
  tag: ["@only-default", "@verify"],
}, async ({ context, front, page, faults }) => {
  faults.allow(/ERR_INTERNET_DISCONNECTED|ChunkLoadError/);
  await open(page, front.url("/parts"));
  await untilReportingRuns(front);
  await context.setOffline(true);
  const failed = page.waitForEvent("pageerror");
  await page.getByRole("button", { name: "import()" }).click();
  await failed;
  expect(await isSameDocument(page)).toBe(true);
  await context.setOffline(false);
  expect(documents(front, "/parts")).toHaveLength(1);
});
