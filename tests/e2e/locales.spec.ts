import { expect, test } from "../support/app";
import { open } from "../support/navigation";
import { expectFacts, fact, isMarked, locales, mark, pageLinks, pages } from "../support/routes";

test("the locale switch leads to the same page in each language", async ({ app, page: tab }) => {
  // One page of each kind of pattern.
  for (const page of pages.filter(({ path, pattern }) => path === "/" || path !== pattern)) {
    await test.step(page.path, async () => {
      if (page === pages[0]) await open(tab, app.url(page.path));
      else
        await tab
          .locator(`nav a[href="${app.path(page.path)}"]:visible`)
          .first()
          .click();
      await expectFacts(tab, page, "en");
      for (const locale of ["de", "ar", "en"]) {
        await tab.locator(`a[hreflang="${locale}"]`).first().click();
        await expectFacts(tab, page, locale);
        await expect(tab).toHaveURL(app.url(page.path, locale));
      }
    });
  }
});

// A language with a prefix is tried together with a base path, on the shell build.
for (const locale of ["en", "de"]) {
  test(`links keep base path and locale in ${locale}`, {
    tag: locale === "en" ? [] : "@only-shell",
  }, async ({ app, page: tab }) => {
    const root = app.path("/", locale);
    const others = locales.filter((other) => other !== locale);
    for (const path of ["/", "/static", "/catch-all/one/two", "/failures"]) {
      await tab.goto(app.url(path, locale));
      await expect(fact(tab, "path")).toHaveText(path);
      const switches = others.map((other) => app.path(path, other));
      const links = (await pageLinks(tab, app)).filter((link) => !switches.includes(link));
      expect(links.length, path).toBeGreaterThan(5);
      const strays = links.filter((link) => {
        const elsewhere = others.some(
          (other) =>
            other !== "en" &&
            (link === app.path("/", other) || link.startsWith(`${app.path("/", other)}/`)),
        );
        return elsewhere || !(link === root || link.startsWith(root === "/" ? "/" : `${root}/`));
      });
      expect(strays, path).toEqual([]);
    }
  });

  test(`a link to the API in ${locale} is a hard navigation, with base path and without locale`, {
    tag: locale === "en" ? "@verify" : "@only-shell",
  }, async ({ app, page: tab, faults }) => {
    // Chromium looks for an icon of its own accord where no page names one.
    faults.allow(/favicon\.ico/);
    await tab.goto(app.url("/", locale));
    await mark(tab);
    await tab.locator('main a[href*="/api/echo/"]').first().click();
    await tab.waitForURL(/\/api\/echo\//);
    expect(new URL(tab.url()).pathname).toMatch(new RegExp(`^${app.basePath}/api/echo/`));
    expect(await isMarked(tab)).toBe(false);
    expect(JSON.parse(await tab.locator("body").innerText())).toMatchObject({ method: "GET" });
  });
}

test("the browser's language does not redirect", { tag: "@shell" }, async ({ app, request }) => {
  const response = await request.get(app.url("/"), {
    headers: { "Accept-Language": "de" },
    maxRedirects: 0,
  });
  expect(response.status()).toBe(200);
  expect(await response.text()).toContain('lang="en"');
});

test("search engines are told where a page is, and where in each language", {
  tag: "@only-shell",
}, async ({ app, request }) => {
  const addressesOn = async (path: string, locale: string) => {
    const html = await (await request.get(app.url(path, locale))).text();
    return [...html.matchAll(/<link rel="(canonical|alternate)"[^>]*? href="([^"]*)"/g)].map(
      ([, rel, href]) => `${rel} ${href}`,
    );
  };
  for (const path of ["/static", "/server", "/incremental/alpha", "/dynamic/a-1"]) {
    const at = (locale?: string) => `https://www.example.com${app.path(path, locale)}`;
    expect(await addressesOn(`${path}?a=1`, "de")).toEqual([
      `canonical ${at("de")}`,
      ...locales.map((locale) => `alternate ${at(locale)}`),
      `alternate ${at("en")}`,
    ]);
  }
  // One does not know its parameters, the other is no page.
  for (const path of ["/optional/a", "/missing"]) expect(await addressesOn(path, "de")).toEqual([]);
});
