import { directionOf, locales } from "@/lib/messages/locales";
import { examples, matchRoute } from "@/lib/routes/routes";
import { expect, test } from "../../support/app";
import { expectWithinBudget } from "../../support/first-load";
import { headIn, headOf } from "../../support/head";
import { rarely } from "../../support/languages";
import { isSameDocument, open, push } from "../../support/navigation";
import { htmlLinks } from "../../support/routes";

/** What the examples on the map answer, where it is not 200. */
const statuses: Record<string, number> = {
  "/moved": 307,
  "/missing": 404,
  "/failures/server-data": 500,
  "/failures/server-render": 500,
  // Without its token.
  "/reports": 404,
};

const paths = Object.values(examples);
const shown = paths.filter((path) => !(path in statuses));

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
      expect(answer.status(), path).toBe(statuses[path] ?? 200);
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
      expect(head.titles, path).toEqual([expect.stringMatching(/\S/)]);
      expect(head.descriptions, path).toEqual([expect.stringMatching(/\S/)]);
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
        await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
        await expect(page).toBeAccessible();
      });
    }
  });
}

test("no page loads more than the budget before it is shown", async ({ app }) => {
  for (const path of [...shown, "/no-such-page"]) {
    await expectWithinBudget(app, path, shown.includes(path) ? 200 : 404);
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
