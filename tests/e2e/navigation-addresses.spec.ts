import { expect, test } from "../support/app";
import { isSameDocument, linkTo, open, push } from "../support/navigation";
import { expectFacts, type PageCase } from "../support/routes";

const long = "l".repeat(1500);

function catchAll(path: string, ...segments: string[]): PageCase {
  return {
    path: `/catch-all/${path}`,
    pattern: "/catch-all/[...path]",
    params: { path: segments },
    rendering: "server",
  };
}

function optional(path: string, ...segments: string[]): PageCase {
  return {
    path: `/optional${path}`,
    pattern: "/optional/[[...path]]",
    params: segments.length ? { path: segments } : {},
    rendering: "static",
  };
}

const odd: PageCase[] = [
  catchAll("a%2Fb/c", "a/b", "c"),
  catchAll("%5Bid%5D/%5B...x%5D", "[id]", "[...x]"),
  catchAll("100%25/%2525", "100%", "%25"),
  catchAll("%F0%9F%AA%A7/%D8%B7%D8%B1%D9%8A%D9%82", "🪧", "طريق"),
  catchAll("a+b/c%20d/e%26f%3Dg", "a+b", "c d", "e&f=g"),
  catchAll("%3Cb%3E/%22%27", "<b>", "\"'"),
  catchAll("%23x/%3Fy", "#x", "?y"),
  catchAll(`${long}/x`, long, "x"),
  catchAll("de/en", "de", "en"),
  catchAll("a?x=1&x=2&path=z&x=", "a"),
  optional("/a%2Fb/%F0%9F%AA%A7", "a/b", "🪧"),
  optional("/%5Ba%5D?b=%25&b=%20", "[a]"),
  optional("?path=a&path=b"),
  {
    path: "/server?b=%zz&flag&2=x&c=[]&b=a+b%20c",
    pattern: "/server",
    params: {},
    rendering: "server",
  },
  {
    path: "/incremental/s%C3%BC%C3%9F%2Fund%20mehr",
    pattern: "/incremental/[slug]",
    params: { slug: "süß/und mehr" },
    rendering: "incremental",
  },
];

for (const locale of ["en", "ar"]) {
  test(`odd addresses lead to the right page with the right parameters in ${locale}, from outside and after a reload`, {
    tag: locale === "ar" ? "@only-shell" : "@verify",
  }, async ({ app, page: tab }) => {
    for (const page of odd) {
      await open(tab, app.url(page.path, locale));
      await expectFacts(tab, page, locale);
    }
    await tab.reload();
    await expectFacts(tab, odd.at(-1) as PageCase, locale);
  });

  test(`odd addresses lead to the right page by the router and by links in ${locale}, and back`, {
    tag: locale === "ar" ? ["@only-shell", "@verify"] : "@verify",
  }, async ({ app, page: tab }) => {
    await open(tab, app.url("/static", locale));
    for (const page of odd) {
      await push(tab, page.path);
      await expectFacts(tab, page, locale);
      await linkTo(tab, app.path(page.path, "de")).click();
      await expectFacts(tab, page, "de");
      await linkTo(tab, app.path(page.path, locale)).click();
      await expectFacts(tab, page, locale);
    }
    for (const page of odd.slice(0, -1).reverse()) {
      for (let entries = 0; entries < 3; entries++) await tab.goBack();
      await expectFacts(tab, page, locale);
    }
    expect(await isSameDocument(tab)).toBe(true);
  });
}

test("slashes too many, at the end or within, are sent to the address without", {
  tag: "@shell",
}, async ({ app, page: tab }) => {
  for (const path of ["/catch-all/a/b/", "/catch-all/a//b", "//catch-all/a/b"]) {
    await tab.goto(app.url(path));
    await expectFacts(tab, catchAll("a/b", "a", "b"), "en");
  }
});

test("what can't be decoded is answered with 400, and never with 500", { tag: "@shell" }, async ({
  app,
  request,
}) => {
  for (const path of ["/dynamic/%E0%A4%A", "/catch-all/a/%", "/optional/%zz", "/incremental/%ff"]) {
    for (const locale of ["en", "de"]) {
      const answer = await request.get(app.url(path, locale));
      expect(answer.status(), path).toBe(400);
      expect(await answer.text()).toContain("<h1");
    }
  }
});

test("the other languages of an odd address are its own", { tag: "@only-shell" }, async ({
  app,
  page: tab,
}) => {
  const path = "/catch-all/%5Bid%5D/a%2Fb?x=1&x=2";
  await open(tab, app.url(`${path}#main`));
  await tab.getByRole("link", { name: "Deutsch" }).click();
  await expect(tab).toHaveURL(`${app.url(path, "de")}#main`);
  await expectFacts(tab, catchAll("%5Bid%5D/a%2Fb?x=1&x=2", "[id]", "a/b"), "de");
});
