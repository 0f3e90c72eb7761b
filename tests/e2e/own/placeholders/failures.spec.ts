import { expect, test } from "../../../support/app";
import { open } from "../../../support/navigation";

test("/api/failure fails as the map says", async ({ app, request }) => {
  const failure = await request.get(app.url("/api/failure"));
  expect(failure.status()).toBe(500);
  expect(await failure.json()).toMatchObject({ error: "internal" });
});

test("the pages that fail in the browser do so when their button is pressed, and say so", async ({
  app,
  page,
  faults,
}) => {
  faults.allow(/Failed on purpose/);
  for (const [kind, message] of [
    ["event", "Failed on purpose in an event handler"],
    ["promise", "Failed on purpose in a promise"],
  ]) {
    await open(page, app.url(`/failures/client-${kind}`));
    const failed = page.waitForEvent("pageerror");
    await page.locator("main button").click();
    expect((await failed).message).toBe(message);
    await expect(page.getByRole("status").filter({ hasText: "still works" })).toBeVisible();
  }
  await open(page, app.url("/failures/client-render"));
  await page.locator("main button").click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Application error");
});
