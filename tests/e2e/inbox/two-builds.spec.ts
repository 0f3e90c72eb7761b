import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "../../support/app";
import { fail, thrown } from "../../support/thrown-lines";
import { variants } from "../../support/variants.ts";
import { moved } from "../companions/build";

const tag = "@verify";

test("two builds in two folders over one data folder: errors keep their lines, and stay one each", {
  tag,
}, async ({ launch, page, faults }) => {
  faults.allow(/Failed on purpose/);
  const folder = mkdtempSync(join(tmpdir(), "signpost-two-builds-"));
  const before = await launch({ DATA_DIR: folder });
  for (const failure of moved.failures) await fail(page, before, failure);
  await page.goto(before.url(`/reports?token=${before.inboxToken}`));
  for (const failure of moved.failures) {
    await expect(page.getByRole("link", { name: thrown(failure).message })).toBeVisible();
  }
  await page.goto("about:blank");
  await before.stop();

  const copy = variants.companions.folder;
  // As `npm run build` leaves it: with the maps of this build alone.
  cpSync(join(copy, "../source-maps"), join(copy, ".next/source-maps"), { recursive: true });
  const after = await launch({ DATA_DIR: folder }, copy);
  for (const failure of moved.failures) await fail(page, after, failure);
  for (const failure of moved.failures) {
    await test.step(failure.path, async () => {
      const { line, code, message } = thrown(failure);
      await page.goto(after.url(`/reports?token=${after.inboxToken}`));
      const row = page.locator("ol > li", { hasText: message });
      await expect(row).toHaveCount(1);
      await expect(row).toContainText("Times seen: 2");
      await row.getByRole("link", { name: message }).click();
      const call = page.getByRole("main").locator("ol > li").first();
      const at = (number: number) => `${failure.name} ${failure.file}:${number}:`;
      await expect(call).toContainText(at(line + moved.lines));
      await page.getByRole("main").locator("a[href*='event=']:not([href*=json])").last().click();
      await expect(call).toContainText(at(line));
      await expect(call.locator("mark").first()).toContainText(code.trim());
    });
  }
  await page.goto("about:blank");
  await after.stop();
  rmSync(folder, { recursive: true, force: true });
});
