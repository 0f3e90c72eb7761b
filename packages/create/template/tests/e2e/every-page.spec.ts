import { locales } from "@/lib/messages/locales";
import { expected } from "../pages";
import { expect, patterns, test, url } from "../support/app";
import { signIn } from "../support/sign-in";

/** Dynamic ones by an address of tests/pages.ts. */
const pages = patterns.flatMap((pattern) => {
  const { path, status = 200, login = false } = expected[pattern] ?? {};
  if (path === undefined && pattern.includes("[")) return [];
  return [{ path: path ?? pattern, status, login }];
});

/** Those that everybody is shown, and those that are shown to who is signed in. */
const open = pages.filter(({ status, login }) => status === 200 && !login);
const behindLogin = pages.filter(({ login }) => login);

for (const locale of locales) {
  test(`every page in ${locale} answers, is accessible, and has no error in its console`, async ({
    context,
    page,
    request,
  }) => {
    for (const { path, status } of pages) {
      const answer = await request.get(url(path, locale), { maxRedirects: 0 });
      expect(
        answer.status(),
        `what ${path} answers to who is not signed in: where it is right, give it "status" in tests/pages.ts`,
      ).toBe(status);
    }
    const visit = ({ path }: { path: string }) =>
      test.step(path, async () => {
        const answer = await page.goto(url(path, locale));
        expect(answer?.status(), `what ${path} answers: see tests/support/sign-in.ts`).toBe(200);
        await expect(page.locator("html")).toHaveAttribute("lang", locale);
        const heading = page.getByRole("heading", { level: 1 });
        await expect(heading, `the heading of ${path}: from its title or its texts`).toHaveText(
          /\S/,
        );
        await expect(page).toBeAccessible();
      });
    for (const each of open) await visit(each);
    if (behindLogin.length > 0) await signIn(context, url);
    for (const each of behindLogin) await visit(each);
  });
}

test("an address without a page answers 404, with a page", async ({ request }) => {
  const answer = await request.get(url("/no-such-page"));
  expect(answer.status()).toBe(404);
  expect(await answer.text()).toContain("<h1");
});

test("an address that is too long is refused before Next sees it", async ({ request }) => {
  const answer = await request.get(url(`/${"x".repeat(9000)}`));
  expect(answer.status()).toBe(414);
});
