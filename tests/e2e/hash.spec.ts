import { expect, test } from "../support/app";
import { eventsOf, push, recordEvents } from "../support/navigation";
import { expectFacts, pages } from "../support/routes";

for (const page of pages.filter(({ path }) => ["/static", "/server", "/optional"].includes(path))) {
  test(`a change of the hash alone on ${page.path} fetches nothing and fires only the hash events`, {
    tag: page.path === "/optional" ? "@shell" : [],
  }, async ({ app, page: tab }) => {
    await tab.goto(app.url(page.path, "de"));
    await expectFacts(tab, page, "de");
    await recordEvents(tab);
    const fetched: string[] = [];
    tab.on("request", (request) => {
      const isPrefetch = request.headers().purpose === "prefetch";
      const isPage = request.isNavigationRequest() || request.url().includes("/_next/data/");
      if (isPage && !isPrefetch) fetched.push(request.url());
    });
    await push(tab, "#main");
    await expect(tab).toHaveURL(`${app.url(page.path, "de")}#main`);
    expect((await eventsOf(tab)).map(([name]) => name)).toEqual([
      "hashChangeStart",
      "hashChangeComplete",
    ]);
    expect(fetched).toEqual([]);
    await expectFacts(tab, page, "de");
  });
}
