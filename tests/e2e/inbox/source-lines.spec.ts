import { expect, test } from "../../support/app";
import { fail, failures, thrown } from "../../support/thrown-lines";

test("the page of each error shows the line that threw it", { tag: "@only-shell" }, async ({
  launch,
  page,
  faults,
}) => {
  faults.allow(/Failed on purpose/);
  // One that no other test has left errors in.
  const app = await launch();
  for (const failure of failures) await fail(page, app, failure);
  await page.goto(app.url(`/reports?token=${app.inboxToken}`));
  for (const failure of failures) {
    await test.step(failure.path, async () => {
      const { line, code, message } = thrown(failure);
      await page.getByRole("link", { name: message }).click();
      await expect(page.getByText(message).first()).toBeVisible();
      const call = page.getByRole("main").locator("ol > li").first();
      await expect(call).toContainText(`${failure.name} ${failure.file}:${line}:`);
      const block = call.locator("pre").first();
      await expect(block.locator("mark")).toHaveText(`> ${line}${code}`);
      await expect(block.locator("span", { hasText: String(line - 1) }).first()).toBeVisible();
      await block.focus();
      await expect(block).toBeFocused();
      await expect(page).toBeAccessible();
      await page.goto(app.url("/reports"));
    });
  }
});
