import { documentTitle } from "@/lib/messages/product-name";
import { expect, test } from "../support/app";
import { headIn, headOf } from "../support/head";
import { isSameDocument, linkTo, open, push } from "../support/navigation";

const tag = "@shell";

test("the title follows a change of language, and is announced", async ({ app, page }) => {
  await open(page, app.url("/static"));
  await linkTo(page, app.path("/static", "de")).click();
  await expect(page).toHaveTitle(documentTitle("Statische Seite"));
  await linkTo(page, app.path("/static", "ar")).click();
  await expect(page).not.toHaveTitle(documentTitle("Statische Seite"));
  const { titles, descriptions } = await headOf(page);
  expect([titles.length, descriptions.length]).toEqual([1, 1]);
  expect(await isSameDocument(page)).toBe(true);
  await expect(page.locator("#__next-route-announcer__")).toContainText(documentTitle("").trim());
});

for (const [path, status, title] of [
  ["/no-such-page", 404, documentTitle("Page not found")],
  ["/missing", 404, documentTitle("Page not found")],
  ["/dynamic/%E0%A4%A", 400, documentTitle("This address can't be read")],
  ["/failures/server-data", 500, documentTitle("Application error")],
  ["/failures/server-render", 500, documentTitle("Application error")],
] as const) {
  test(`${path}, answered with ${status}, has a title of its own`, { tag }, async ({
    app,
    request,
  }) => {
    const response = await request.get(app.url(path));
    expect(response.status()).toBe(status);
    const { titles, descriptions } = headIn(await response.text());
    expect(titles).toEqual([title]);
    expect(descriptions).toHaveLength(1);
  });
}

test("an error in the browser has its title until the page is left", {
  tag: "@only-shell",
}, async ({ app, page, faults }) => {
  faults.allow(/Failed on purpose/);
  await open(page, app.url("/failures/client-render"));
  await page.getByRole("main").getByRole("button").click();
  await expect(page).toHaveTitle(documentTitle("Application error"));
  await push(page, "/static");
  await expect(page).toHaveTitle(documentTitle("Static page"));
  const { titles, descriptions } = await headOf(page);
  expect([titles.length, descriptions.length]).toEqual([1, 1]);
});
