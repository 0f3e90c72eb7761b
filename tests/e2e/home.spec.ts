import { expect, test } from "../support/app";

test("the map answers at the root of the app", async ({ app, page }) => {
  const response = await page.goto(app.url("/"));
  expect(response?.status()).toBe(200);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
});
