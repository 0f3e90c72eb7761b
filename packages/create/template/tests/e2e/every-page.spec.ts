import { locales } from "@/lib/messages/locales";
import { expected } from "../pages";
import { expect, patterns, test, url } from "../support/app";

/** Dynamic ones by an address of tests/pages.ts. */
const pages = patterns.flatMap((pattern) => {
  const { path, status = 200 } = expected[pattern] ?? {};
  if (path === undefined && pattern.includes("[")) return [];
  return [{ path: path ?? pattern, status }];
});

for (const locale of locales) {
  test(`every page in ${locale} answers, is accessible, and has no error in its console`, async ({
    page,
    request,
  }) => {
    for (const { path, status } of pages) {
      await test.step(path, async () => {
        const answer = await request.get(url(path, locale), { maxRedirects: 0 });
        expect(
          answer.status(),
          `what ${path} answers: where it is right, give it "status" in tests/pages.ts`,
        ).toBe(status);
        if (status !== 200) return;
        await page.goto(url(path, locale));
        await expect(page.locator("html")).toHaveAttribute("lang", locale);
        await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
        await expect(page).toBeAccessible();
      });
    }
  });
}

test("an address without a page answers 404, with a page", async ({ request }) => {
  const answer = await request.get(url("/no-such-page"));
  expect(answer.status()).toBe(404);
  expect(await answer.text()).toContain("<h1");
});
