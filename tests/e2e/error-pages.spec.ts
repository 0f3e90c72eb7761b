import { expect, test } from "../support/app";
import { open } from "../support/navigation";
import { fact, withAndWithoutPrefix } from "../support/routes";

for (const [locale, tag] of withAndWithoutPrefix) {
  test(`what is not found in ${locale} answers 404 and says so accessibly`, {
    tag,
  }, async ({ app, page, faults }) => {
    faults.allow(/status of 404/);
    for (const path of ["/missing", "/no-such-page", "/dynamic/not%20valid", "/catch-all"]) {
      await test.step(path, async () => {
        const response = await page.goto(app.url(path, locale));
        expect(response?.status()).toBe(404);
        await expect(page.locator("html")).toHaveAttribute("lang", locale);
        await expect(page.getByRole("main")).toContainText(path);
        await expect(page.getByRole("main").getByRole("link").first()).toBeVisible();
        await expect(page).toBeAccessible();
      });
    }
  });

  test(`what fails on the server in ${locale} answers 500 with an accessible error page`, {
    tag,
  }, async ({ app, page, faults }) => {
    faults.allow(/status of 500|^answer 500 to /);
    for (const path of ["/failures/server-data", "/failures/server-render"]) {
      await test.step(path, async () => {
        const response = await page.goto(app.url(path, locale));
        expect(response?.status()).toBe(500);
        await expect(page.locator("html")).toHaveAttribute("lang", locale);
        const heading = page.getByRole("heading", { level: 1 });
        if (locale === "en") await expect(heading).toHaveText("Application error");
        else await expect(heading).toBeVisible();
        await expect(fact(page, "reference")).toHaveText(/^[0-9a-f]{32}$/);
        await expect(page).toBeAccessible();
      });
    }
  });
}

test("clicking to a page whose data fails shows the error page, and back leads back", async ({
  app,
  page,
  faults,
}) => {
  faults.allow(/status of 500|^answer 500 to |Failed on purpose/);
  const path = app.path("/failures/server-data");
  await open(page, app.url("/failures"));
  await page.locator(`main a[href="${path}"]`).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Application error");
  await expect(page).toHaveURL(app.origin + path);
  await page.goBack();
  await expect(page).toHaveURL(app.url("/failures"));
  await expect(fact(page, "pattern")).toHaveText("/failures");
});
