import { locales } from "@/lib/messages/locales";
import { examples } from "@/lib/routes/routes";
import { expect, test } from "../../../support/app";
import { open } from "../../../support/navigation";
import { expectFacts, fact, isMarked, mark, type PageCase } from "../../../support/routes";
import { placeholderPages } from "./placeholder-pages";

for (const locale of locales) {
  test(`every page is reached by clicking in ${locale}, then back and forward through all`, {
    tag: "@verify",
  }, async ({ app, page: tab }) => {
    const [map, ...others] = placeholderPages;
    if (!map) throw new Error("the table of pages is empty");
    await open(tab, app.url("/", locale));
    await expectFacts(tab, map, locale);
    await mark(tab);

    const visited = [map];
    const click = async (part: string, page: PageCase) => {
      await tab
        .locator(`${part} a[href="${app.path(page.path, locale)}"]:visible`)
        .first()
        .click();
      await expectFacts(tab, page, locale);
      visited.push(page);
    };
    for (const page of others) {
      await click("main", page);
      await click("header", map);
    }
    for (const page of visited.slice(0, -1).reverse()) {
      await tab.goBack();
      await expectFacts(tab, page, locale);
    }
    for (const page of visited.slice(1)) {
      await tab.goForward();
      await expectFacts(tab, page, locale);
    }
    expect(await isMarked(tab), "all of it without a hard navigation").toBe(true);
  });
}

test("the map links to every route of the table, in each language", async ({ app, page: tab }) => {
  for (const locale of locales) {
    await tab.goto(app.url("/", locale));
    for (const path of Object.values(examples)) {
      const link = tab.locator(`main a[href="${app.path(path, locale)}"]`);
      await expect(link, `${locale} ${path}`).not.toHaveCount(0);
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
