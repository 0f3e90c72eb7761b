import { locales } from "@/lib/site/messages/locales";
import { examples } from "@/lib/site/routes/routes";
import { expect, test } from "../../../support/app";
import { open } from "../../../support/navigation";
import { fact } from "../../../support/routes";

test("the map links to every route of the table, in each language", async ({ app, request }) => {
  for (const locale of locales) {
    const html = await (await request.get(app.url("/", locale))).text();
    const [main = ""] = /<main.*<\/main>/s.exec(html) ?? [];
    for (const path of Object.values(examples)) {
      expect(main, `${locale} ${path}`).toContain(`href="${app.path(path, locale)}"`);
    }
  }
});

test("clicking to /moved leads to /server", async ({ app, page }) => {
  await open(page, app.url("/"));
  await page
    .locator(`main a[href="${app.path("/moved")}"]`)
    .first()
    .click();
  await expect(page).toHaveURL(app.url("/server"));
  await expect(fact(page, "pattern")).toHaveText("/server");
});
