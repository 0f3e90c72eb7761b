import { readFileSync } from "node:fs";
import { expect, test } from "playwright/test";
import { startApp } from "../../support/server";
import { about, add, additions, order } from "./add";
import { addFreshnessPages, expectFreshness } from "./freshness-pages";
import { removeFeedback } from "./remove";
import { addSharedPages, expectSharedPages } from "./shared-pages";
import { ProjectCopy } from "./takeover";
import { addWeighedPages, bytesOfReporting } from "./weighed-pages";

const tag = "@verify";
const sections = Object.keys(additions) as (keyof typeof additions)[];

// One after another: each takes all processors.
test.describe.configure({ mode: "default" });

/** What the API of the additions does with the variable of others. */
function useVariable(copy: ProjectCopy): void {
  const greeting = "pages/api/greeting.ts";
  const route = 'import { apiRoute } from "@/lib/server/api-route";';
  copy.replace(greeting, route, `import { env } from "@/lib/config";\n${route}`);
  copy.replace(greeting, '{ greeting: "Hello" }', "{ greeting: env().GREETING }");
}

let folder = "";

// One build for all that is added, without the feedback, which goes while the inbox stays.
test.beforeAll(async () => {
  test.setTimeout(1_800_000);
  const copy = new ProjectCopy("additions");
  removeFeedback(copy);
  for (const section of sections) add(copy, section);
  useVariable(copy);
  copy.replace("tests/contracts/versions.json", /^ {2}"next": ".*"/, '  "next": "15.0.0"');
  expect((await copy.run("consistency")).output).toMatch(
    /^Warning: next \d.* is installed, and the contract tests were written for 15\.0\.0: follow docs\/upgrading\.md\.$/m,
  );
  await copy.mustPassCheck();
  // Two pages that call Sentry's functions share a script, and the one that is weighed would be 0.3 kB heavier.
  copy.remove("pages/orders/[id].tsx");
  addFreshnessPages(copy);
  addSharedPages(copy);
  addWeighedPages(copy);
  await copy.mustRun("build");
  folder = copy.folder;
});

test("the README's first example is the page that passes the check here", { tag }, () => {
  expect(readFileSync("README.md", "utf8")).toContain(order);
});

test("what docs/make-it-yours.md adds passes the check, which warns of another version of Next, is built, answers, and is fresh, without the feedback too", {
  tag,
}, async () => {
  const app = await startApp("default", { GREETING: "Good day" }, folder);
  try {
    const text = async (path: string) => (await fetch(app.origin + path)).text();
    expect(await text("/about")).toMatch(
      /<title[^>]*>About us · Signpost<.*<p>1,500 orders since March 1, 2026<\/p>/s,
    );
    expect(await text("/fr/about")).toMatch(
      /<html lang="fr".*<p>1\u202f500 orders since 1 mars 2026<\/p>/s,
    );
    expect(await text("/products/1")).toMatch(/<title[^>]*>Lamp · Signpost</);
    expect((await fetch(`${app.origin}/account`, { redirect: "manual" })).status).toBe(307);
    for (const path of ["/products/2", "/feedback", "/api/feedback"]) {
      expect((await fetch(app.origin + path)).status).toBe(404);
    }
    const inbox = `${app.origin}/reports?token=${app.inboxToken}`;
    expect((await fetch(inbox, { redirect: "manual" })).status).toBe(307);
    expect(JSON.parse(await text("/api/greeting"))).toEqual({ greeting: "Good day" });
    expect(await text("/")).toContain("img-src &#x27;self&#x27; data: https://images.example");
    expect(await text("/")).toContain('hrefLang="fr"');
    const buildId = readFileSync(`${folder}/.next/BUILD_ID`, "utf8");
    await expectFreshness(app.origin, `/_next/data/${buildId}/fr`);
  } finally {
    await app.stop();
  }
});

test(
  "with deploy/shared-pages.js, a page that one of two servers has renewed is renewed on both within a second",
  {
    tag,
  },
  () => expectSharedPages(folder),
);

test("a page with Sentry's captures, scope and error boundary has at most 5 kB more in its first load", {
  tag,
}, () => {
  const more = bytesOfReporting(folder);
  // The facade is there at all.
  expect(more).toBeGreaterThan(1_000);
  expect(more).toBeLessThanOrEqual(5_000);
});

/** What a team forgets of a section, and what the check says then. */
interface Forgotten {
  section: keyof typeof additions;
  steps: string[];
  sentences: string[];
  /** What else is done wrong. */
  besides?: (copy: ProjectCopy) => void;
}

/** What is forgotten, the part of the check that names it, and by which sentences. */
const forgotten: [what: string, command: string, parts: Forgotten[]][] = [
  [
    "a text in one language, or in all",
    "types",
    [
      {
        section: "A text",
        steps: ["de", "ar"],
        sentences: [
          "error TS2741: Property '\"/about\"' is missing",
          "error TS2345: Argument of type '\"/product\"' is not assignable",
        ],
        besides: (copy) =>
          copy.write(
            "pages/product.tsx",
            about.replace('usePageTexts("/about")', 'usePageTexts("/product")'),
          ),
      },
    ],
  ],
  [
    "files, and lines of what there are files for",
    "consistency",
    [
      {
        section: "A language",
        steps: ["language"],
        sentences: [
          "lib/messages/fr.ts is no language of the app: add it to lib/messages/locales.ts",
        ],
      },
      {
        section: "An environment variable",
        steps: ["variable"],
        sentences: [".env.example explains GREETING, which nothing reads: add it to lib/config.ts"],
      },
    ],
  ],
];

for (const [what, command, parts] of forgotten) {
  test(`the check names what is forgotten: ${what}`, { tag }, async () => {
    const copy = new ProjectCopy("forgetful");
    for (const { section, steps, besides } of parts) {
      add(copy, section, steps);
      besides?.(copy);
    }
    const { code, output } = await copy.run(command);
    for (const sentence of parts.flatMap(({ sentences }) => sentences)) {
      expect(output).toContain(sentence);
    }
    expect(code).not.toBe(0);
  });
}
