import type { Page } from "playwright/test";
import { expect, type Front, test } from "../support/app";
import { errorEventsSent, treatLateScripts, untilReportingRuns } from "../support/browser-reports";
import { documents, isSameDocument, open, ready } from "../support/navigation";
import { answer } from "../support/proxy";
import { fact } from "../support/routes";

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
    tag: way === "next/dynamic" ? [] : "@verify",
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
  tag: "@verify",
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

test("a part that can't be had while there is no network leaves the page as it is", {
  tag: "@verify",
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

for (const way of ["next/dynamic", "React.lazy"]) {
  test(`a part by ${way} that is gone leads to the error page where the visitor keeps the page from being loaded anew`, {
    tag: "@verify",
  }, async ({ front, page, faults }) => {
    faults.allow(/404|ChunkLoadError/);
    await openAndLose(page, front);
    await page.evaluate(() => addEventListener("beforeunload", (event) => event.preventDefault()));
    const asked = page.waitForEvent("dialog");
    page.once("dialog", (dialog) => void dialog.dismiss());
    await page.getByRole("button", { name: way }).click();
    expect((await asked).type()).toBe("beforeunload");
    await expect(fact(page, "reference")).toHaveText(/^[0-9a-f]{32}$/);
    expect(await isSameDocument(page)).toBe(true);
    await expect.poll(() => errorEventsSent(front).length).toBe(1);
    // So that the test can leave.
    page.on("dialog", (dialog) => void dialog.accept());
  });
}
