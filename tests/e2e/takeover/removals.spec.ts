import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "../../support/app";
import { addFreshnessPages, expectFreshness } from "../../support/freshness-pages";
import { open } from "../../support/navigation";
import { perform, type Step } from "../../support/recipes.js";
import { mustPassEndToEnd, mustRun, takeOver } from "../../support/takeover";

const tag = ["@only-default", "@verify"];
const tests = "The tests of this page";
const [language, inbox, feedback, failures] = [
  "All languages but one",
  "The inbox",
  "Feedback",
  "The failing pages",
];

// One after another: each takes all processors.
test.describe.configure({ mode: "default", timeout: 900_000 });

for (const heading of [language, inbox, feedback, failures]) {
  test(`${heading} can be removed: the check passes`, { tag }, async () => {
    await mustRun(takeOver("removal", [heading]), "check");
  });
}

/** Builds a copy, with further pages, after its check and unit tests have passed. */
async function build(folder: string, pages: Step[] = []): Promise<string> {
  await mustRun(folder, "check");
  await mustRun(folder, "unit");
  perform(pages, folder);
  await mustRun(folder, "build");
  return join(folder, ".next/standalone");
}

test("without languages and failing pages, everything else works, and page data is fresh", {
  tag,
}, async ({ launch, page }) => {
  const folder = takeOver("one-language", [tests, language, failures]);
  const app = await launch({}, await build(folder, addFreshnessPages));
  const buildId = readFileSync(join(folder, ".next/BUILD_ID"), "utf8");
  await expectFreshness(app.origin, `/_next/data/${buildId}`);
  for (const path of ["/de", "/en/static", "/failures"]) {
    expect((await fetch(app.origin + path)).status).toBe(404);
  }
  await open(page, app.url("/"));
  await page.getByRole("main").getByRole("link", { name: "/incremental/[slug]" }).click();
  await expect(page).toHaveURL(app.url("/incremental/alpha"));
  await expect(page.locator('[data-fact="locale"]')).toHaveText("en");
  await open(page, app.url(`/reports?token=${app.inboxToken}`));
  await expect(page.getByRole("heading", { name: "No errors yet" })).toBeVisible();
  await expect(page.locator("main section").getByRole("link")).toHaveCount(0);
});

test("without inbox and feedback, everything else works", { tag }, async ({
  launch,
  page,
  faults,
}) => {
  const folder = takeOver("no-inbox", [tests, inbox, feedback]);
  const app = await launch({}, await build(folder));
  expect(app.output()).not.toContain("/reports");
  for (const path of ["/reports", "/feedback", "/api/feedback"]) {
    expect((await fetch(app.origin + path)).status).toBe(404);
  }
  await open(page, app.url("/"));
  await page.getByRole("main").getByRole("link", { name: "/dynamic/[id]" }).click();
  await expect(page).toHaveURL(app.url("/dynamic/a-1"));
  faults.allow(/500/);
  await page.goto(app.url("/failures/server-data"));
  await expect(page.locator('[data-fact="reference"]')).toHaveText(/^[0-9a-f]{32}$/);
  expect(existsSync(join(app.dataDir, "outbox.db"))).toBe(true);
  await mustPassEndToEnd(folder, "own", "shell");
});
