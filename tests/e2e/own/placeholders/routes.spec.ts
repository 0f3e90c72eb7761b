import { expect, test } from "../../../support/app";
import { expectFacts, fact, locales, onShell, pages, variations } from "../../../support/routes";

for (const locale of locales) {
  test(`every page opens by deep link in ${locale} and shows its facts`, {
    tag: onShell(locale),
  }, async ({ app, page: tab }) => {
    for (const page of pages) {
      await test.step(page.path, async () => {
        const response = await tab.goto(app.url(page.path, locale));
        expect(response?.status()).toBe(200);
        await expectFacts(tab, page, locale);
        await expect(tab.getByRole("heading", { level: 1 })).toHaveCount(1);
        // The markup is the same in each language: one of each direction shows whether it will do.
        if (locale !== "de") await expect(tab).toBeAccessible();
        // A language has a prefix or it has none: one of each shows what a reload brings back.
        if (locale !== "ar") {
          await tab.reload();
          await expectFacts(tab, page, locale);
          await expect(tab).toHaveURL(app.url(page.path, locale));
        }
      });
    }
  });

  test(`open parts of a pattern and queries come out right by deep link in ${locale}`, {
    tag: onShell(locale),
  }, async ({ app, page: tab }) => {
    for (const page of variations) {
      await test.step(page.path, async () => {
        const response = await tab.goto(app.url(page.path, locale));
        expect(response?.status()).toBe(200);
        await expectFacts(tab, page, locale);
      });
    }
  });

  test(`/moved leads to /server in ${locale}`, { tag: onShell(locale) }, async ({ app, page }) => {
    await page.goto(app.url("/moved", locale));
    await expect(page).toHaveURL(app.url("/server", locale));
    await expect(fact(page, "pattern")).toHaveText("/server");
    await expect(fact(page, "locale")).toHaveText(locale);
  });

  test(`what is not found in ${locale} answers 404 and says so accessibly`, {
    tag: onShell(locale),
  }, async ({ app, page, faults }) => {
    faults.allow(/status of 404/);
    for (const path of ["/missing", "/no-such-page", "/dynamic/not%20valid", "/catch-all"]) {
      await test.step(path, async () => {
        const response = await page.goto(app.url(path, locale));
        expect(response?.status()).toBe(404);
        await expect(page.locator("html")).toHaveAttribute("lang", locale);
        await expect(page.getByRole("main")).toContainText(path);
        await expect(page.getByRole("main").getByRole("link").first()).toBeVisible();
        await expect(page).toBeAccessible();
      });
    }
  });

  test(`what fails on the server in ${locale} answers 500 with an accessible error page`, {
    tag: onShell(locale),
  }, async ({ app, page, faults }) => {
    faults.allow(/status of 500|^answer 500 to /);
    for (const path of ["/failures/server-data", "/failures/server-render"]) {
      await test.step(path, async () => {
        const response = await page.goto(app.url(path, locale));
        expect(response?.status()).toBe(500);
        await expect(page.locator("html")).toHaveAttribute("lang", locale);
        await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
        await expect(fact(page, "reference")).toHaveText(/^[0-9a-f]{32}$/);
        await expect(page).toBeAccessible();
      });
    }
  });
}

test("the English error page is headed as the specification says", async ({
  app,
  page,
  faults,
}) => {
  faults.allow(/status of 500|^answer 500 to /);
  await page.goto(app.url("/failures/server-data"));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Application error");
});

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
