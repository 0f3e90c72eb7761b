import { expect, test } from "../support/app";
import { eventsOf, open, push, recordEvents } from "../support/navigation";
import { expectFacts, pages } from "../support/routes";

for (const page of pages.filter(({ path }) => ["/server", "/optional"].includes(path))) {
  test(`a change of the hash alone on ${page.path} fetches nothing and fires only the hash events`, {
    tag: page.path === "/optional" ? "@only-shell" : [],
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

test("each click on an empty hash leads to the top, and fetches nothing", async ({
  front,
  page: tab,
}) => {
  await open(tab, front.url("/static"));
  await recordEvents(tab);
  await tab.evaluate(() => {
    const link = Object.assign(document.createElement("a"), { textContent: "To the top" });
    link.setAttribute("href", "#");
    document.body.append(link);
  });
  const dataSeen = () => front.seen(/_next\/data/).filter(({ headers }) => !headers.purpose);
  for (let clicks = 0; clicks < 3; clicks++) {
    await tab.evaluate(() => scrollTo({ top: 100, behavior: "instant" }));
    await tab.getByRole("link", { name: "To the top" }).click();
    await expect(tab).toHaveURL(`${front.url("/static")}#`);
    await expect.poll(() => tab.evaluate(() => scrollY)).toBe(0);
  }
  expect((await eventsOf(tab)).map(([name]) => name)).toEqual([
    "hashChangeStart",
    "hashChangeComplete",
  ]);
  expect(dataSeen()).toEqual([]);
});
