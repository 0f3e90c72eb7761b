import { expect, test } from "../../support/app";
import { open } from "../../support/navigation";

test("feedback stands beside its error in the inbox, and in the list of feedback", async ({
  app,
  page,
  faults,
}) => {
  faults.allow(/Failed on purpose/);
  const message = `It broke: ${crypto.randomUUID()}`;
  await open(page, app.url("/failures/client-render"));
  await page.locator("article button").click();
  await page.getByLabel("Your message").fill(message);
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByText("Thank you for your message.")).toBeVisible();
  await page.goto(app.url(`/reports?view=feedback&token=${app.inboxToken}`));
  const entry = page.getByRole("listitem").filter({ hasText: message });
  await expect(entry).toBeVisible();
  await entry.getByRole("link").click();
  await expect(page.getByRole("main")).toContainText("Failed on purpose in a browser render");
  await expect(page.getByRole("main")).toContainText(message);
});
