import { expect, test } from "../support/app";
import { open } from "../support/navigation";
import {
  expectFacts,
  isMarked,
  mark,
  type PageCase,
  pages,
  withAndWithoutPrefix,
} from "../support/routes";

test("every kind of page opens by deep link, and is the same after a reload", {
  tag: "@only-shell",
}, async ({ app, page: tab }) => {
  for (const page of pages) {
    await test.step(page.path, async () => {
      const response = await tab.goto(app.url(page.path, "de"));
      expect(response?.status()).toBe(200);
      await expectFacts(tab, page, "de");
      await tab.reload();
      await expectFacts(tab, page, "de");
      await expect(tab).toHaveURL(app.url(page.path, "de"));
    });
  }
});

for (const [locale, tag] of withAndWithoutPrefix) {
  test(`every kind of page is reached by clicking in ${locale}, then back and forward through all`, {
    tag,
  }, async ({ app, page: tab }) => {
    const [first, ...others] = pages as [PageCase, ...PageCase[]];
    await open(tab, app.url(first.path, locale));
    await expectFacts(tab, first, locale);
    await mark(tab);
    for (const page of others) {
      await tab.locator(`main a[href="${app.path(page.path, locale)}"]`).click();
      await expectFacts(tab, page, locale);
    }
    for (const page of pages.slice(0, -1).reverse()) {
      await tab.goBack();
      await expectFacts(tab, page, locale);
    }
    for (const page of others) {
      await tab.goForward();
      await expectFacts(tab, page, locale);
    }
    expect(await isMarked(tab), "all of it without a hard navigation").toBe(true);
  });
}

test("a server-rendered page is made anew for each request, a static one is not", {
  tag: "@shell",
}, async ({ app, request }) => {
  const madeAt = async (path: string) => {
    const html = await (await request.get(app.url(path))).text();
    return /data-fact="rendered-at"[^>]*>([^<]+)</.exec(html)?.[1];
  };
  for (const path of ["/static", "/", "/incremental/alpha", "/server"]) {
    expect(await madeAt(path), path).toMatch(/^\d{4}-/);
  }
  expect(await madeAt("/static")).toBe(await madeAt("/static"));
  expect(await madeAt("/")).toBe(await madeAt("/"));
  expect(await madeAt("/server")).not.toBe(await madeAt("/server"));
});
