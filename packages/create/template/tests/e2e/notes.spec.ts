import { defaultLocale, textsOf } from "@/lib/messages/locales";
import { expect, test, url } from "../support/app";

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("a note is added, opened and removed", async ({ page }) => {
      const { pages } = await textsOf(defaultLocale);
      const text = `Lamps, ${javaScriptEnabled}`;
      await page.goto(url("/notes"));
      await page.getByLabel(pages["/notes"].text).fill(text);
      await page.getByRole("button", { name: pages["/notes"].add }).click();
      await page.getByRole("link", { name: text }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText(text);
      await page.getByRole("button", { name: pages["/notes/[id]"].remove }).click();
      await expect(page).toHaveURL(url("/notes"));
      await expect(page.getByRole("link", { name: text })).toHaveCount(0);
    });
  });
}

test("who sends a note without text is told that it was not taken", async ({ page, faults }) => {
  faults.allow(/status of 400 .*\/api\/notes/);
  const { pages } = await textsOf(defaultLocale);
  await page.goto(url("/notes"));
  // Blanks are enough for the browser.
  await page.getByLabel(pages["/notes"].text).fill("  ");
  await page.getByRole("button", { name: pages["/notes"].add }).click();
  await expect(page.locator("main").getByRole("alert")).toHaveText(pages["/notes"].failed);
});

test("what is no note is refused", async ({ request }) => {
  const answer = await request.post(url("/api/notes"), { data: { text: "" } });
  expect(answer.status()).toBe(400);
  expect(await answer.json()).toMatchObject({ error: "note" });
});

test("a form that says nothing leads back to the list", async ({ request }) => {
  const headers = { "Content-Type": "application/json" };
  const options = { headers, data: "null", maxRedirects: 0 };
  const answer = await request.post(url("/api/notes/none"), options);
  expect(answer.status()).toBe(303);
  expect(url("/notes")).toContain(answer.headers().location);
});
