import { expect, test } from "../support/app";
import { fact, pages } from "../support/routes";

test.use({ javaScriptEnabled: false });

test("every kind of page works without JavaScript", { tag: "@verify" }, async ({
  app,
  page: tab,
}) => {
  for (const page of pages) {
    await test.step(page.path, async () => {
      const response = await tab.goto(app.url(page.path, "de"));
      expect(response?.status()).toBe(200);
      await expect(tab.getByRole("heading", { level: 1 })).toBeVisible();
      await expect(fact(tab, "pattern")).toHaveText(page.pattern);
      await expect(fact(tab, "locale")).toHaveText("de");
      await expect(fact(tab, "rendering")).toHaveText(page.rendering);
    });
  }
});

test("links lead on without JavaScript", { tag: "@only-shell" }, async ({ app, page }) => {
  await page.goto(app.url("/", "de"));
  await page
    .locator(`main a[href="${app.path("/dynamic/a-1", "de")}"]`)
    .first()
    .click();
  await expect(page).toHaveURL(app.url("/dynamic/a-1", "de"));
  await expect(fact(page, "params")).toHaveText('{"id":"a-1"}');
  await page.locator('a[hreflang="ar"]').first().click();
  await expect(page).toHaveURL(app.url("/dynamic/a-1", "ar"));
});
