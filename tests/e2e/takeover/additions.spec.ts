import { readFileSync } from "node:fs";
import { expect, test } from "playwright/test";
import { addFreshnessPages, expectFreshness } from "../../support/freshness-pages";
import { perform, type Step } from "../../support/recipes.js";
import { startApp } from "../../support/server";
import { mustRun, npmRun, takeOver, without } from "../../support/takeover";

const tag = "@verify";

// One after another: each takes all processors.
test.describe.configure({ mode: "default" });

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

/** What the components and the API of the recipes do with the text and the variable of others. */
const uses: Step[] = [
  {
    kind: "edit",
    file: "pages/about.tsx",
    diff: ` import { PageHead } from "@/components/page-head";
+import { useMessages } from "@/lib/site/messages/messages";
@@
       <h1 tabIndex={-1}>About us</h1>
+      <p>{useMessages().page.welcome}</p>
`,
  },
  {
    kind: "edit",
    file: "pages/api/greeting.ts",
    diff: `+import { ownConfig } from "@/lib/base/config/own-config";
 import { apiRoute } from "@/lib/server/api-route";
@@
-    res.status(200).json({ greeting: "Hello" });
+    res.status(200).json({ greeting: ownConfig().GREETING });
`,
  },
];

/** Adds to the table of routes what the check asks for. */
async function addLines(folder: string): Promise<void> {
  const { output } = await npmRun(folder, "consistency");
  const lists = { pages: "export const pages = {", apiRoutes: "export const apiRoutes = [" };
  const asked = [...output.matchAll(/^\S+ is not in (\S+): add (.+) to (pages|apiRoutes)\.$/gm)];
  for (const [, file = "", line, list] of asked) {
    const diff = ` ${lists[list as keyof typeof lists]}\n+  ${line},\n`;
    perform([{ kind: "edit", file, diff }], folder);
  }
}

test("what docs/make-it-yours.md adds passes the check, is built, answers, and is fresh", {
  tag,
}, async () => {
  test.setTimeout(300_000);
  const folder = takeOver("additions", additions);
  perform([{ kind: "write", file: "pages/account.tsx", text: account }, ...uses], folder);
  await addLines(folder);
  await mustRun(folder, "check");
  perform(addFreshnessPages, folder);
  await mustRun(folder, "build");
  const app = await startApp("default", { GREETING: "Good day" }, folder);
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

test("another version of Next or Sentry is a warning", { tag }, async () => {
  const diff = '-  "next": …\n+  "next": "15.0.0",\n';
  const file = "tests/contracts/versions.json";
  const folder = takeOver("forgetful", [], [{ kind: "edit", file, diff }]);
  const { code, output } = await npmRun(folder, "check");
  expect(output).toMatch(
    /^Warning: next \d.* is installed, and the contract tests were written for 15\.0\.0: follow docs\/upgrading\.md\.$/m,
  );
  expect(code, output).toBe(0);
});

const [table, languages] = ["lib/site/routes/table.ts", "lib/site/messages/locales.ts"];
const catalogue = "lib/site/messages/catalogue.ts";

/** What a team forgets of a section, and what the check says then. */
type Forgotten = [section: string, step: (step: Step) => boolean, sentences: string[]];

const forgotten: Record<string, Forgotten[]> = {
  "texts and explanations": [
    [
      "A language",
      ({ file, kind }) => kind === "copy" || file.endsWith("fr.ts"),
      ["The language fr has no texts: write lib/site/messages/fr.ts."],
    ],
    [
      "An environment variable",
      ({ file }) => file === ".env.example",
      ['.env.example does not explain GREETING: add a line "# GREETING=" there.'],
    ],
  ],
  "files, and lines of what there are files for": [
    [
      "A page behind a login",
      ({ file }) => file !== table,
      ["lib/site/routes/table.ts lists /account, which no file has: write pages/account.tsx"],
    ],
    [
      "A language",
      ({ file }) => file === languages || file === catalogue,
      [
        "lib/site/messages/fr.ts is no language of the app: add it to lib/site/messages/locales.ts",
        "lib/site/messages/fr.ts is not in lib/site/messages/catalogue.ts: import it there.",
      ],
    ],
    [
      "A text",
      ({ file }) => file.endsWith("de.ts"),
      ["error TS2741: Property 'welcome' is missing"],
    ],
    [
      "An environment variable",
      ({ file }) => file === "lib/base/config/own.ts",
      [".env.example explains GREETING, which nothing reads: add it to lib/base/config/own.ts"],
    ],
  ],
};

for (const [what, sections] of Object.entries(forgotten)) {
  test(`the check names what is forgotten: ${what}`, { tag }, async () => {
    const steps = sections.flatMap(([section, step]) => without(section, step));
    const { code, output } = await npmRun(takeOver("forgetful", [], steps), "check");
    for (const sentence of sections.flatMap(([, , sentences]) => sentences)) {
      expect(output).toContain(sentence);
    }
    expect(code).not.toBe(0);
  });
}
