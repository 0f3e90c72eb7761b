import { expect, test } from "../../../support/app";
import { open } from "../../../support/navigation";

test("/api/failure fails as the map says", async ({ app, request }) => {
  const failure = await request.get(app.url("/api/failure"));
  expect(failure.status()).toBe(500);
  expect(await failure.json()).toMatchObject({ error: "internal" });
});

test("/failures/client-render shows the error page when its button is pressed", async ({
  app,
  page,
  faults,
}) => {
  faults.allow(/Failed on purpose/);
  await open(page, app.url("/failures/client-render"));
  await page.locator("main button").click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Application error");
});

for (const [kind, message] of [
  ["event", "Failed on purpose in an event handler"],
  ["promise", "Failed on purpose in a promise"],
]) {
  test(`/failures/client-${kind} throws when its button is pressed, and says so`, async ({
    app,
    page,
    faults,
  }) => {
    faults.allow(/Failed on purpose/);
    await open(page, app.url(`/failures/client-${kind}`));
    const failed = page.waitForEvent("pageerror");
    await page.locator("main button").click();
    expect((await failed).message).toBe(message);
    await expect(page.getByRole("status").filter({ hasText: "still works" })).toBeVisible();
  });
}
