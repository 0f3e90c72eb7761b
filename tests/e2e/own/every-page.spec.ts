import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext } from "playwright/test";
import { directionOf, locales } from "@/lib/messages/locales";
import { isDynamic } from "@/lib/navigation/pattern";
import { patternOf } from "@/packages/sentry/src/shared/routes/location";
import { pagesOf } from "@/scripts/first-load";
import { type ExpectedOfPage, expected } from "../../pages";
import { expect, test } from "../../support/app";
import { dist, expectWithinBudget } from "../../support/first-load";
import { headIn, headOf } from "../../support/head";
import { rarely } from "../../support/languages";
import { isSameDocument, open as load, push } from "../../support/navigation";
import { htmlLinks } from "../../support/routes";
import type { App } from "../../support/server";
import { signIn } from "../../support/sign-in";

/** The patterns of the build's pages. */
function patterns(): string[] {
  return pagesOf(JSON.parse(readFileSync(join(dist("own"), "build-manifest.json"), "utf8")));
}

/** What is expected of each page that has an address, by this address. */
function visited(): Map<string, ExpectedOfPage> {
  return new Map(
    patterns().flatMap((pattern) => {
      const { path = pattern, ...rest } = expected[pattern] ?? {};
      return isDynamic(path) ? [] : [[path, rest] as const];
    }),
  );
}

/** Those that a visitor who is not signed in is shown. */
function open(): string[] {
  return [...visited()].flatMap(([path, { status = 200 }]) => (status === 200 ? path : []));
}

/** Those that are shown only to who is signed in. */
function behindLogin(): string[] {
  return [...visited()].flatMap(([path, { login }]) => (login ? path : []));
}

/** Every page that somebody is shown. Signs in before those behind the login. */
async function* shown(context: BrowserContext, app: App): AsyncGenerator<string> {
  const later = behindLogin();
  yield* open().filter((path) => !later.includes(path));
  if (later.length > 0) await signIn(context, app.url);
  yield* later;
}

/** What is to be done where a page is not shown. */
function hint(path: string): string {
  return behindLogin().includes(path)
    ? `what ${path} answers to who is signed in: see tests/support/sign-in.ts`
    : `what ${path} answers`;
}

/** What is to be done where a page has another number of headings. */
function oneHeading(path: string): string {
  return `${path} must have one h1, in what it renders or in what its data holds`;
}

/** The HTML of a page that is shown to who has the context's cookies. */
async function htmlOf(context: BrowserContext, app: App, path: string, locale?: string) {
  const answer = await context.request.get(app.url(path, locale), { maxRedirects: 0 });
  expect(answer.status(), hint(path)).toBe(200);
  return answer.text();
}

for (const locale of locales) {
  test(`every page answers in ${locale}, and links to nothing but pages in this language`, {
    tag: rarely(locale),
  }, async ({ app, context, request }) => {
    await Promise.all(
      [...visited()].map(async ([path, { status = 200 }]) => {
        const answer = await request.get(app.url(path, locale), { maxRedirects: 0 });
        expect(
          answer.status(),
          `what ${path} answers to who is not signed in. If this is right, give it "status: ${answer.status()}" in tests/pages.ts, and "login: true" if it is behind a login`,
        ).toBe(status);
      }),
    );
    const ownApp = {
      basePath: "",
      locales: locales.length > 1 ? locales : [],
      patterns: patterns(),
    };
    const root = app.path("/", locale).replace(/\/$/, "");
    const switches = locales.filter((other) => other !== locale);
    for await (const path of shown(context, app)) {
      const html = await htmlOf(context, app, path, locale);
      expect(html, path).toContain(`lang="${locale}"`);
      const others = switches.map((other) => app.path(path, other));
      for (const link of htmlLinks(html, app).filter((link) => !others.includes(link))) {
        expect(link === root || link.startsWith(`${root}/`), `${path} links to ${link}`).toBe(true);
        const page = patternOf(ownApp, new URL(link.slice(root.length) || "/", "http://app"));
        expect(page, `${path} links to ${link}`).toBeDefined();
      }
    }
  });

  test(`every page in ${locale} has one title and one description of its own, from the server and after a navigation`, {
    tag: "@verify",
  }, async ({ app, context, page }) => {
    const seen = new Set<string>();
    let count = 0;
    // The page that takes the browser to the app before it goes from page to page.
    await load(page, app.url(open()[0] ?? "/no-such-page", locale));
    for await (const path of shown(context, app)) {
      const head = headIn(await htmlOf(context, app, path, locale));
      expect(head.titles, `the titles of ${path}: see PageHead`).toEqual([
        expect.stringMatching(/\S/),
      ]);
      expect(head.descriptions, `the descriptions of ${path}: see PageHead`).toEqual([
        expect.stringMatching(/\S/),
      ]);
      seen.add(`${head.titles[0]}\n${head.descriptions[0]}`);
      count += 1;
      await push(page, path);
      await expect.poll(() => headOf(page), path).toEqual(head);
    }
    expect(seen.size).toBe(count);
    expect(await isSameDocument(page)).toBe(true);
  });
}

// The markup is the same in each language: one of each direction shows whether it will do.
for (const locale of ["ltr", "rtl"].flatMap(
  (direction) => locales.find((each) => directionOf(each) === direction) ?? [],
)) {
  test(`every page in ${locale} is accessible and breaks no policy`, {
    tag: rarely(locale),
  }, async ({ app, context, page }) => {
    for await (const path of shown(context, app)) {
      await test.step(path, async () => {
        const answer = await page.goto(app.url(path, locale));
        expect(answer?.status(), hint(path)).toBe(200);
        await expect(page.getByRole("heading", { level: 1 }), oneHeading(path)).toHaveCount(1);
        await expect(page).toBeAccessible();
      });
    }
  });
}

test("no page loads more than the budget before it is shown", async ({ app, context }) => {
  for await (const path of shown(context, app)) {
    expectWithinBudget(app, path, await htmlOf(context, app, path), visited().get(path)?.budget);
  }
  const missing = await context.request.get(app.url("/no-such-page"));
  expectWithinBudget(app, "/no-such-page", await missing.text());
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  for (const locale of locales) {
    test(`every page works in ${locale}`, { tag: "@verify" }, async ({ app, context, page }) => {
      for await (const path of shown(context, app)) {
        await test.step(path, async () => {
          const answer = await page.goto(app.url(path, locale));
          expect(answer?.status(), hint(path)).toBe(200);
          await expect(page.getByRole("heading", { level: 1 }), oneHeading(path)).toBeVisible();
        });
      }
    });
  }
});
