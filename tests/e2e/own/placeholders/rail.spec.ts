import { expect, test } from "../../../support/app";
import { open } from "../../../support/navigation";
import { expectFacts } from "../../../support/routes";
import { placeholderPages } from "./placeholder-pages";

test("every page is reached by the rail", { tag: "@verify" }, async ({ app, page: tab }) => {
  await open(tab, app.url("/"));
  for (const page of placeholderPages.slice(1)) {
    await tab
      .locator(`nav a[href="${app.path(page.path)}"]:visible`)
      .first()
      .click();
    await expectFacts(tab, page, "en");
  }
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("all routes can be unfolded on a small screen", async ({ app, page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(app.url("/static"));
    const link = page.locator(`nav details a[href="${app.path("/server")}"]`);
    await expect(link).toBeHidden();
    await page.locator("nav summary").click();
    await link.click();
    await expect(page).toHaveURL(app.url("/server"));
  });
});
