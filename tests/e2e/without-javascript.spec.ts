import { expect, test } from "../support/app";
import { fact } from "../support/routes";

test.use({ javaScriptEnabled: false });

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
