import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "../../support/app";
import { buildCopy } from "../../support/build-copy";
import { fail, failures, thrown } from "../../support/thrown-lines";

const tag = "@verify";
const moved = 2;
const some = failures.filter(({ name }) => ["failInHandler", "getServerSideProps"].includes(name));

test("two builds in two folders over one data folder: errors keep their lines, and stay one each", {
  tag,
}, async ({ launch, page, faults }) => {
  test.setTimeout(1_800_000);
  faults.allow(/Failed on purpose/);
  const folder = mkdtempSync(join(tmpdir(), "signpost-two-builds-"));
  const before = await launch({ DATA_DIR: folder });
  for (const failure of some) await fail(page, before, failure);
  await page.goto(before.url(`/reports?token=${before.inboxToken}`));
  for (const failure of some) {
    await expect(page.getByRole("link", { name: thrown(failure).message })).toBeVisible();
  }
  await page.goto("about:blank");
  await before.stop();

  const texts = some.map(({ file }) => [
    file,
    `${"// Moved.\n".repeat(moved)}${readFileSync(`tests/fixtures/${file}`, "utf8")}`,
  ]);
  const copy = await buildCopy("moved-lines", {}, Object.fromEntries(texts));
  // As `npm run build` leaves it: with the maps of this build alone.
  cpSync(join(copy, "../source-maps"), join(copy, ".next/source-maps"), { recursive: true });
  const after = await launch({ DATA_DIR: folder }, copy);
  for (const failure of some) await fail(page, after, failure);
  for (const failure of some) {
    await test.step(failure.path, async () => {
      const { line, code, message } = thrown(failure);
      await page.goto(after.url(`/reports?token=${after.inboxToken}`));
      const row = page.locator("ol > li", { hasText: message });
      await expect(row).toHaveCount(1);
      await expect(row).toContainText("Times seen: 2");
      await row.getByRole("link", { name: message }).click();
      const call = page.getByRole("main").locator("ol > li").first();
      const at = (number: number) => `${failure.name} ${failure.file}:${number}:`;
      await expect(call).toContainText(at(line + moved));
      await page.getByRole("main").locator("a[href*='event=']:not([href*=json])").last().click();
      await expect(call).toContainText(at(line));
      await expect(call.locator("mark").first()).toContainText(code.trim());
    });
  }
  await page.goto("about:blank");
  await after.stop();
  rmSync(folder, { recursive: true, force: true });
});
