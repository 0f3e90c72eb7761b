import { placeholders } from "@/components/placeholders/routes";
import { defaultLocale, locales } from "@/lib/messages/locales";
import { otherLocale, rarely } from "@/tests/support/languages";
import { expect, test } from "../../../support/app";
import { expectFacts, fact } from "../../../support/routes";
import { placeholderPages, variations } from "./placeholder-pages";

test("the map links to every placeholder, in each language", async ({ app, request }) => {
  for (const locale of locales) {
    const html = await (await request.get(app.url("/", locale))).text();
    const [main = ""] = /<main.*<\/main>/s.exec(html) ?? [];
    for (const { route, path = route } of placeholders) {
      expect(main, `${locale} ${path}`).toContain(`href="${app.path(path, locale)}"`);
    }
  }
});

test("every placeholder's HTML has its facts", async ({ app, request }) => {
  for (const { path, pattern, rendering } of placeholderPages) {
    const html = await (await request.get(app.url(path))).text();
    for (const [name, value] of Object.entries({ pattern, rendering, locale: defaultLocale })) {
      const [, shown] = html.split(`data-fact="${name}"`);
      expect(shown?.split(">")[1], `${name} of ${path}`).toBe(`${value}</dd`);
    }
  }
});

// In another language, too: it is no part of the path that a page shows.
for (const locale of new Set([defaultLocale, otherLocale])) {
  test(`open parts of a pattern and queries come out right by deep link in ${locale}`, {
    tag: rarely(locale),
  }, async ({ app, page: tab }) => {
    for (const page of variations) {
      await test.step(page.path, async () => {
        const response = await tab.goto(app.url(page.path, locale));
        expect(response?.status()).toBe(200);
        await expectFacts(tab, page, locale);
      });
    }
    await tab.goto(app.url("/moved", locale));
    await expect(tab).toHaveURL(app.url("/server", locale));
    await expect(fact(tab, "pattern")).toHaveText("/server");
    await expect(fact(tab, "locale")).toHaveText(locale);
  });
}

test("what the placeholders can't take is not found", async ({ app, request }) => {
  const ids = ["%20", "a.b", "a%2Fb", "%00", "x".repeat(65), "%C3%A4", "<script>", "a%E2%80%AEb"];
  for (const path of [...ids.map((id) => `/dynamic/${id}`), "/dynamic", "/catch-all"]) {
    for (const locale of locales) {
      expect((await request.get(app.url(path, locale))).status(), path).toBe(404);
    }
  }
  const html = await (await request.get(app.url("/static"))).text();
  const buildId = /"buildId":"([^"]+)"/.exec(html)?.[1];
  const data = `/_next/data/${buildId}/en/incremental/${"l".repeat(201)}.json`;
  expect((await request.get(app.origin + data)).status()).toBe(404);
});

test("/slow waits as long as it is told, within its bounds", async ({ app, request }) => {
  const queries = ["?ms=0", "?ms=-5", "?ms=0&ms=9", "?ms[]=0"];
  const answers = queries.map((query) => request.get(app.url(`/slow${query}`)));
  for (const answer of await Promise.all(answers)) expect(answer.status(), answer.url()).toBe(200);
});

test("/api/echo answers as the map says", async ({ app, request }) => {
  const echo = await request.put(app.url("/api/echo/one/t%20wo?a=1&b=2&b=3&path=own"));
  expect(await echo.json()).toEqual({
    method: "PUT",
    path: ["one", "t wo"],
    query: { a: "1", b: ["2", "3"], path: "own" },
  });
});
