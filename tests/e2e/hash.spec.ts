import { expect, test } from "../support/app";
import { eventsOf, isSameDocument, open, push, recordEvents } from "../support/navigation";
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

test("a plain link to a hash is the browser's own: no event of the router's, no request", async ({
  front,
  page: tab,
}) => {
  await open(tab, front.url("/static"));
  await recordEvents(tab);
  await tab.evaluate(() => {
    for (const [hash, name] of Object.entries({ "#": "To the top", "#the%end": "To the end" })) {
      const link = Object.assign(document.createElement("a"), { textContent: name });
      link.setAttribute("href", hash);
      document.body.prepend(link);
    }
    document.querySelector("footer")?.setAttribute("id", "the%end");
    addEventListener("hashchange", () => document.body.append("changed "));
  });
  const dataSeen = () => front.seen(/_next\/data/).filter(({ headers }) => !headers.purpose);
  for (const clicks of [1, 2]) {
    await tab.getByRole("link", { name: "To the end" }).click();
    await expect(tab.locator("footer:target")).toBeInViewport();
    await tab.getByRole("link", { name: "To the top" }).click();
    await expect(tab).toHaveURL(`${front.url("/static")}#`);
    await expect.poll(() => tab.evaluate(() => scrollY)).toBe(0);
    await expect(tab.getByText("changed ".repeat(2 * clicks).trim())).toBeAttached();
  }
  expect(await eventsOf(tab)).toEqual([]);
  expect(dataSeen()).toEqual([]);
  expect(await isSameDocument(tab)).toBe(true);
});
