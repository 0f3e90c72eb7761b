import { readFileSync } from "node:fs";
import { expect, test } from "playwright/test";
import { addFreshnessPages, expectFreshness } from "../../support/freshness-pages";
import { perform, type Step } from "../../support/recipes.js";
import { startApp } from "../../support/server";
import { mustRun, npmRun, takeOver, without } from "../../support/takeover";

const tag = ["@only-default", "@verify"];

const additions = [
  "A page",
  "A dynamic page",
  "A page behind a login",
  "An API route",
  "A text",
  "A language",
  "An environment variable",
  "A policy source",
  "A private name in reports",
];

/** The page of the recipe's line. */
const account = `export default function Account() {
  return <h1 tabIndex={-1}>Account</h1>;
}

export async function getServerSideProps() {
  return { redirect: { destination: "/", permanent: false } };
}
`;

test("what docs/make-it-yours.md adds passes the check, is built, answers, and is fresh", {
  tag,
}, async () => {
  test.setTimeout(300_000);
  const folder = takeOver("additions", additions);
  perform([{ kind: "write", file: "pages/account.tsx", text: account }], folder);
  await mustRun(folder, "check");
  perform(addFreshnessPages, folder);
  await mustRun(folder, "build");
  const app = await startApp("default", { GREETING: "Good day" }, `${folder}/.next/standalone`);
  try {
    const text = async (path: string) => (await fetch(app.origin + path)).text();
    expect(await text("/about")).toMatch(/<title[^>]*>About us · Signpost<.*<p>Welcome<\/p>/s);
    expect(await text("/fr/about")).toMatch(/<html lang="fr".*<p>Welcome<\/p>/s);
    expect(await text("/products/1")).toMatch(/<title[^>]*>Lamp · Signpost</);
    expect((await fetch(`${app.origin}/account`, { redirect: "manual" })).status).toBe(307);
    expect((await fetch(`${app.origin}/products/2`)).status).toBe(404);
    expect(JSON.parse(await text("/api/greeting"))).toEqual({ greeting: "Good day" });
    expect(await text("/")).toContain("img-src &#x27;self&#x27; data: https://images.example");
    expect(await text("/")).toContain('hrefLang="fr"');
    const buildId = readFileSync(`${folder}/.next/BUILD_ID`, "utf8");
    await expectFreshness(app.origin, `/_next/data/${buildId}/fr`);
  } finally {
    await app.stop();
  }
});

test("the name, the header and the navigation are replaced, and the check and all unit tests pass", {
  tag,
}, async () => {
  test.setTimeout(900_000);
  const folder = takeOver("name", [
    "The tests of this page",
    "The name, the header and the navigation",
  ]);
  await mustRun(folder, "check");
  await mustRun(folder, "unit");
  await mustRun(folder, "build");
  const app = await startApp("default", {}, `${folder}/.next/standalone`);
  try {
    const html = await (await fetch(app.origin)).text();
    expect(html).toMatch(/<title[^>]*>.* · Lamp Shop</);
    const [header] = /<header.*<\/header>/s.exec(html) ?? [""];
    expect(header).toContain("Lamp Shop");
    expect(header).toContain('aria-current="page"');
    const around = html.replace(/<main.*<\/main>|<script.*?<\/script>/gs, "");
    expect(around).not.toMatch(/Signpost|\[slug\]/);
    const feedback = await (await fetch(app.url("/feedback"))).text();
    expect(feedback).toMatch(/<h1[^>]*>Feedback<\/h1>/);
    expect(feedback).not.toContain("data-fact=");
  } finally {
    await app.stop();
  }
});

test("another version of Next or Sentry is a warning", { tag }, async () => {
  const diff = '-  "next": …\n+  "next": "15.0.0",\n';
  const file = "tests/contracts/versions.json";
  const folder = takeOver("other-version", [], [{ kind: "edit", file, diff }]);
  const { code, output } = await npmRun(folder, "check");
  expect(output).toMatch(
    /^Warning: next \d.* is installed, and the contract tests were written for 15\.0\.0: follow docs\/upgrading\.md\.$/m,
  );
  expect(code, output).toBe(0);
});

const table = "lib/routes/table.ts";

/** What a team forgets, and what the check says then. */
const forgotten: [what: string, section: string, step: (step: Step) => boolean, words: string][] = [
  [
    "the line of a page",
    "A page",
    ({ file }) => file === table,
    'pages/about.tsx is not in lib/routes/table.ts: add "/about" to pages',
  ],
  [
    "the file of a page",
    "A page",
    ({ kind }) => kind === "write",
    "lib/routes/table.ts lists /about, which no file has: write pages/about.tsx",
  ],
  [
    "the line of a dynamic page",
    "A dynamic page",
    ({ file }) => file === table,
    'add "/products/[id]" to pages',
  ],
  [
    "the line of an API route",
    "An API route",
    ({ file }) => file === table,
    'pages/api/greeting.ts is not in lib/routes/table.ts: add "/api/greeting" to apiRoutes',
  ],
  [
    "the texts of a language",
    "A language",
    ({ file, kind }) => kind === "copy" || file.endsWith("fr.ts"),
    "The language fr has no texts: write lib/messages/fr.ts.",
  ],
  [
    "a language in the table",
    "A language",
    ({ file }) => file === "lib/messages/locales.ts",
    "lib/messages/fr.ts is no language of the app: add it to lib/messages/locales.ts",
  ],
  [
    "a language in the catalogue",
    "A language",
    ({ file }) => file === "lib/messages/catalogue.ts",
    "lib/messages/fr.ts is not in lib/messages/catalogue.ts: import it there.",
  ],
  [
    "a text in one language",
    "A text",
    ({ file }) => file.endsWith("de.ts") || file === "pages/about.tsx",
    "error TS2741: Property 'welcome' is missing",
  ],
  [
    "a variable in .env.example",
    "An environment variable",
    ({ file }) => file === ".env.example" || file.startsWith("pages"),
    '.env.example does not explain GREETING: add a line "# GREETING=" there.',
  ],
  [
    "a variable in lib/config",
    "An environment variable",
    ({ file }) => file === "lib/config/own.ts" || file.startsWith("pages"),
    ".env.example explains GREETING, which nothing reads: add it to lib/config/own.ts",
  ],
];

test.describe("a step that is forgotten", () => {
  test.describe.configure({ mode: "default" });

  for (const [what, section, step, words] of forgotten) {
    test(`is named by the check: ${what}`, { tag }, async () => {
      const folder = takeOver("forgetful", [], without([section], step));
      const { code, output } = await npmRun(folder, "check");
      expect(output).toContain(words);
      expect(code).not.toBe(0);
    });
  }
});
