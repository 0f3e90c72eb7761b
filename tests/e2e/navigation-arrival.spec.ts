import type { NextRouter } from "next/router";
import type { Page } from "playwright/test";
import { expect, test } from "../support/app";
import { expectStages, linkTo, open, push } from "../support/navigation";
import { fact } from "../support/routes";

const announcer = "#__next-route-announcer__";

/** Writes down what the live region says from now on. */
async function listen(page: Page): Promise<void> {
  await page.evaluate((selector) => {
    const said: string[] = [];
    Object.assign(window, { said });
    const region = document.querySelector<HTMLElement>(selector);
    if (!region) throw new Error("There is no live region");
    new MutationObserver(() => {
      if (region.textContent && !region.hidden) said.push(region.textContent);
    }).observe(region, { childList: true, characterData: true, subtree: true });
  }, announcer);
}

const said = (page: Page) => page.evaluate(() => (window as unknown as { said: string[] }).said);

test("each new page is announced once, by its heading where that says its title, also when it has the title of the last, but not the first load", async ({
  app,
  page,
  faults,
}) => {
  faults.allow(/404/);
  await open(page, app.url("/static"));
  await expect(page.locator(announcer)).toHaveText("");
  await expect(page.locator(announcer)).toHaveAttribute("role", "alert");
  await expect(page.locator(announcer)).toHaveAttribute("aria-live", "assertive");
  expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
  await listen(page);
  const titles: string[] = [];
  for (const path of ["/incremental/alpha", "/incremental/beta", "/incremental/alpha", "/server"]) {
    await linkTo(page, app.path(path)).click();
    await expect(fact(page, "path")).toHaveText(path);
    await expect.poll(() => said(page)).toHaveLength(titles.length + 1);
    titles.push(await page.title());
  }
  expect(await said(page)).toEqual(titles);
  expect(titles[1]).toBe(titles[2]);
  // Its heading says its title, and is read as it gets the focus.
  await push(page, "/missing");
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeFocused();
  await expect(page.locator(announcer)).toBeVisible();
  expect(await said(page)).toEqual(titles);
});

test("the main heading of the new page has the focus, by click and by going back", async ({
  app,
  page,
}) => {
  await open(page, app.url("/"));
  for (const path of ["/server", "/optional", "/static"]) {
    await linkTo(page, app.path(path)).click();
    await expect(fact(page, "path")).toHaveText(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  }
  await page.goBack();
  await expect(fact(page, "path")).toHaveText("/optional");
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
});

test("a field keeps the focus while what is typed there changes the URL", {
  tag: "@verify",
}, async ({ app, page }) => {
  await open(page, app.url("/static"));
  await page.getByRole("main").evaluate((main) => {
    const field = document.createElement("input");
    field.addEventListener("input", () => {
      const { router } = (window as unknown as Record<"next", { router: NextRouter }>).next;
      void router.replace(`${router.pathname}?q=${field.value}`, undefined, { scroll: false });
    });
    main.append(field);
    field.focus();
  });
  for (const [key, typed] of Object.entries({ a: "a", b: "ab" })) {
    await page.keyboard.press(key);
    await expect(fact(page, "path")).toHaveText(`/static?q=${typed}`);
  }
  await expect(page.getByRole("textbox")).toBeFocused();
});

test("renewed data and another query leave the focus where it is, and renewed data is not announced", {
  tag: "@verify",
}, async ({ app, page }) => {
  await open(page, app.url("/server"));
  await listen(page);
  const language = page.getByRole("link", { name: "Deutsch" });
  await language.focus();
  for (const path of ["/server", "/server?filter=on"]) {
    const before = `${await fact(page, "rendered-at").textContent()}`;
    await push(page, path);
    await expect(fact(page, "rendered-at")).not.toHaveText(before);
    await expect(language).toBeFocused();
    // Next itself announces another address.
    if (path === "/server") expect(await said(page)).toEqual([]);
  }
});

test("the way past the links leads into the content, by keyboard, and fetches nothing", async ({
  front,
  page,
}) => {
  await open(page, front.url("/static"));
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
  await expect(page).toHaveURL(front.url("/static#main"));
  await expectStages(page, "");
  expect(front.seen(/_next\/data/)).toEqual([]);
});
