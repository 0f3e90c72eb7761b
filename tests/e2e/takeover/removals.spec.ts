import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { placeholders } from "../../../packages/create/src/placeholders.js";
import { expect, test } from "../../support/app";
import { open } from "../../support/navigation";
import { variants } from "../../support/variants.ts";
import { addFreshnessPages, expectFreshness } from "./freshness-pages";
import * as remove from "./remove";
import { signIn } from "./signed-in";
import { ProjectCopy } from "./takeover";

// One after another: each takes all processors.
test.describe.configure({ mode: "default", timeout: 1_800_000 });

test("with a name, a header and a navigation of its own, one language and no failing pages, everything else works, page data is fresh, and a signed-in user has room in the budget", {
  tag: "@verify",
}, async ({ launch, page }) => {
  const copy = new ProjectCopy("one-language");
  remove.removeTests(copy);
  remove.nameIt(copy);
  remove.removeLanguages(copy);
  remove.removeFailures(copy);
  signIn(copy);
  await copy.mustRun("format");
  await copy.mustPassCheck();
  addFreshnessPages(copy);
  for (const command of ["build", "first-load"]) await copy.mustRun(command);
  const { folder } = copy;
  const app = await launch({}, folder);
  const text = async (path: string) => (await fetch(app.url(path))).text();
  const buildId = readFileSync(join(folder, ".next/BUILD_ID"), "utf8");
  await expectFreshness(app.origin, `/_next/data/${buildId}`);
  for (const path of ["/de", "/en/static", "/failures"]) {
    expect((await fetch(app.origin + path)).status).toBe(404);
  }
  const html = await text("/");
  expect(html).toMatch(/<title[^>]*>.* · Lamp Shop</);
  const [header] = /<header.*<\/header>/s.exec(html) ?? [""];
  expect(header).toContain("Lamp Shop");
  expect(header).toContain('aria-current="page"');
  const around = html.replace(/<main.*<\/main>|<script.*?<\/script>/gs, "");
  expect(around).not.toMatch(/Signpost|\[slug\]/);
  const form = await text("/feedback");
  expect(form).toMatch(/<h1[^>]*>Feedback<\/h1>/);
  expect(form).not.toContain("data-fact=");
  await open(page, app.url("/"));
  await page.getByRole("main").getByRole("link", { name: "/incremental/[slug]" }).click();
  await expect(page).toHaveURL(app.url("/incremental/alpha"));
  await expect(page.locator('[data-fact="locale"]')).toHaveText("en");
  await page.goto(app.url(`/reports?token=${app.inboxToken}`));
  await expect(page.getByRole("heading", { name: "No errors yet" })).toBeVisible();
});

/** The text of each file that the builds with the pages of the tests are made of, by path. */
function sourcesOf(project: string): Record<string, string> {
  const folder = join(project, variants.default.source);
  const made = /^(node_modules|\.next|scripts|next-env\.d\.ts|.*\.(md|tsbuildinfo))(\/|$)/;
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !made.test(entry.name))
    .flatMap((entry) =>
      entry.isFile()
        ? [entry.name]
        : readdirSync(join(folder, entry.name), { recursive: true, withFileTypes: true })
            .filter((file) => file.isFile())
            .map((file) => join(file.parentPath, file.name).slice(folder.length + 1)),
    );
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), "utf8")]));
}

/**
 * Whether a file is a placeholder, or the list of them that a menu has replaced. Under pages/ there are
 * none any more, but pages of the tests.
 */
function isPlaceholder(file: string): boolean {
  return (
    !file.startsWith("pages/") &&
    [...placeholders, "components/site-nav.tsx", "components/site-nav.module.css"].some(
      (path) => file === path || file.startsWith(`${path}/`),
    )
  );
}

test("without the placeholders the other end-to-end tests have the very builds that they have here", {
  tag: "@verify",
}, async () => {
  const copy = new ProjectCopy("no-placeholders");
  remove.removePlaceholders(copy);
  await copy.makeFixtures();
  const here = Object.entries(sourcesOf(".")).filter(([file]) => !isPlaceholder(file));
  const there = Object.entries(sourcesOf(copy.folder)).filter(([file]) => !isPlaceholder(file));
  expect(there).toEqual(here);
});

const broken = `import type { GetServerSideProps } from "next";

export default function Broken() {
  return <h1>Broken</h1>;
}

export const getServerSideProps: GetServerSideProps = async ({ query }) => {
  if (query.now) throw new Error("broken");
  return { props: {} };
};
`;

test("without inbox, feedback, placeholders and other languages, and with a name of its own, all that remains is whole: checks, unit tests, the build, its pages and reports", {
  tag: "@verify",
}, async ({ launch, page, faults }) => {
  const copy = new ProjectCopy("bare");
  remove.removeTests(copy);
  remove.nameIt(copy);
  remove.removeLanguages(copy);
  remove.removeFeedback(copy);
  remove.removeInbox(copy);
  remove.removePlaceholders(copy);
  copy.write("pages/broken.tsx", broken);
  await copy.mustRun("format");
  await copy.mustPassCheck();
  await copy.mustPassUnits();
  await copy.mustPassEndToEnd();
  const app = await launch({}, copy.folder);
  expect(app.output()).not.toContain("/reports");
  for (const path of ["/reports", "/feedback", "/api/feedback"]) {
    expect((await fetch(app.origin + path)).status).toBe(404);
  }
  faults.allow(/500/);
  await page.goto(app.url("/broken?now=yes"));
  await expect(page.locator('[data-fact="reference"]')).toHaveText(/^[0-9a-f]{32}$/);
  expect(existsSync(join(app.dataDir, "outbox.db"))).toBe(true);
});
