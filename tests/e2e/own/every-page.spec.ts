import { directionOf, locales } from "@/lib/messages/locales";
import { examples, matchRoute, type Route } from "@/lib/routes/routes";
import { type PageEntry, pages } from "@/lib/routes/table";
import { expect, test } from "../../support/app";
import { expectWithinBudget } from "../../support/first-load";
import { headIn, headOf } from "../../support/head";
import { rarely } from "../../support/languages";
import { isSameDocument, open, push } from "../../support/navigation";
import { htmlLinks } from "../../support/routes";

/** The table's line of each page on the map, by the path of its example. */
const entries = new Map(
  (Object.entries(examples) as [Route, string][]).map(([route, path]): [string, PageEntry] => [
    path,
    pages[route],
  ]),
);

const paths = [...entries.keys()];

/** Those that a visitor who is not signed in is shown. */
const shown = paths.filter((path) => (entries.get(path)?.status ?? 200) === 200);

/** The page that takes the browser to the app before it goes from page to page. */
const [first = "/"] = shown;

for (const locale of locales) {
  test(`every page answers in ${locale}, and links to nothing but pages in this language`, async ({
    app,
    request,
  }) => {
    const root = app.path("/", locale).replace(/\/$/, "");
    const switches = locales.filter((other) => other !== locale);
    for (const path of paths) {
      const answer = await request.get(app.url(path, locale), { maxRedirects: 0 });
      expect(
        answer.status(),
        `what ${path} answers. If this is right, as for a page behind a login, give its line in lib/routes/table.ts "status: ${answer.status()}"`,
      ).toBe(entries.get(path)?.status ?? 200);
      if (!shown.includes(path)) continue;
      const html = await answer.text();
      expect(html).toContain(`lang="${locale}"`);
      const others = switches.map((other) => app.path(path, other));
      for (const link of htmlLinks(html, app).filter((link) => !others.includes(link))) {
        expect(link === root || link.startsWith(`${root}/`), `${path} links to ${link}`).toBe(true);
        const [page = ""] = link.slice(root.length).split("?");
        expect(matchRoute(page || "/"), `${path} links to ${link}`).toBeDefined();
      }
    }
  });

  test(`every page in ${locale} has one title and one description of its own, from the server and after a navigation`, {
    tag: rarely(locale),
  }, async ({ app, page, request }) => {
    const seen = new Set<string>();
    await open(page, app.url(first, locale));
    for (const path of shown) {
      const head = headIn(await (await request.get(app.url(path, locale))).text());
      expect(head.titles, `the titles of ${path}: see PageHead`).toEqual([
        expect.stringMatching(/\S/),
      ]);
      expect(head.descriptions, `the descriptions of ${path}: see PageHead`).toEqual([
        expect.stringMatching(/\S/),
      ]);
      seen.add(`${head.titles[0]}\n${head.descriptions[0]}`);
      await push(page, path);
      await expect.poll(() => headOf(page), path).toEqual(head);
    }
    expect(seen.size).toBe(shown.length);
    expect(await isSameDocument(page)).toBe(true);
  });
}

// The markup is the same in each language: one of each direction shows whether it will do.
for (const locale of ["ltr", "rtl"].flatMap(
  (direction) => locales.find((each) => directionOf(each) === direction) ?? [],
)) {
  test(`every page in ${locale} is accessible and breaks no policy`, {
    tag: rarely(locale),
  }, async ({ app, page }) => {
    for (const path of shown) {
      await test.step(path, async () => {
        const answer = await page.goto(app.url(path, locale));
        expect(answer?.status()).toBe(200);
        await expect(
          page.getByRole("heading", { level: 1 }),
          `${path} must have one h1, in what it renders or in what its data holds`,
        ).toHaveCount(1);
        await expect(page).toBeAccessible();
      });
    }
  });
}

test("no page loads more than the budget before it is shown", async ({ app }) => {
  for (const path of [...shown, "/no-such-page"]) {
    const status = shown.includes(path) ? 200 : 404;
    await expectWithinBudget(app, path, status, entries.get(path)?.budget);
  }
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  for (const locale of locales) {
    test(`every page works in ${locale}`, { tag: rarely(locale) }, async ({ app, page }) => {
      for (const path of shown) {
        await test.step(path, async () => {
          const answer = await page.goto(app.url(path, locale));
          expect(answer?.status()).toBe(200);
          await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
        });
      }
    });
  }
});
