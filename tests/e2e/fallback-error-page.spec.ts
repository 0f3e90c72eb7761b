import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "../support/app";
import { textsOf } from "../support/texts";
import { variants } from "../support/variants.ts";

for (const broken of ["_app", "_document", "_error"]) {
  test(`where ${broken} itself is broken, a plain page answers, and the failure is one event`, {
    tag: ["@only-shell", "@verify"],
  }, async ({ launch, page, faults, service }) => {
    faults.allow(/status of 500|^answer 500 to /);
    const folder = mkdtempSync(join(tmpdir(), "signpost-broken-"));
    cpSync(variants.shell.folder, folder, { recursive: true, verbatimSymlinks: true });
    const file = join(folder, `.next/server/pages/${broken}.js`);
    writeFileSync(file, `throw new Error("broken on purpose");\n${readFileSync(file, "utf8")}`);
    const app = await launch({ SENTRY_DSN: service.dsn }, folder);

    const answer = await page.goto(app.url("/failures/server-data", "ar"));
    expect(answer?.status()).toBe(500);
    await expect(page.locator("html")).toHaveAttribute("dir", "rtl");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(
      textsOf("ar").errors.applicationError,
    );
    await expect(page.locator("body")).toHaveCSS("max-width", "608px");
    await expect(page).toBeAccessible();
    const reference = await page.locator('[data-fact="reference"]').textContent();
    await expect(page.getByRole("link").last()).toHaveAttribute("href", app.path("/", "ar"));
    await app.stop();
    expect(service.payloads("event")).toMatchObject([{ event_id: reference }]);
    rmSync(folder, { recursive: true, force: true });
  });
}

test("what an error needs is loaded when the server starts: files that can't be read later hide none", {
  tag: "@only-shell",
}, async ({ launch, service }) => {
  const folder = mkdtempSync(join(tmpdir(), "signpost-"));
  cpSync(variants.shell.folder, folder, { recursive: true, verbatimSymlinks: true });
  const app = await launch({ SENTRY_DSN: service.dsn }, folder);
  await fetch(app.url("/api/health/live"));
  const chunks = join(folder, ".next/server/chunks");
  renameSync(chunks, `${chunks}.away`);
  const references: string[] = [];
  for (const path of ["/failures/server-data", "/failures/server-render"]) {
    const answer = await fetch(app.url(path));
    const html = await answer.text();
    expect([path, answer.status, html.includes("__NEXT_DATA__")]).toEqual([path, 500, true]);
    references.push(/data-fact="reference"[^>]*>([0-9a-f]{32})</.exec(html)?.[1] ?? "");
  }
  await app.stop();
  const ids = service.eventIds();
  expect(ids.sort()).toEqual(references.sort());
  rmSync(folder, { recursive: true, force: true });
});
