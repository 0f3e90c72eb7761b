import { getSortedRoutes } from "next/dist/shared/lib/router/utils/sorted-routes";
import { describe, expect, test } from "vitest";
import {
  apiFaults,
  languageFaults,
  routeFaults,
  styleFaults,
  variableFaults,
  versionWarnings,
} from "@/scripts/consistency";

describe("routes", () => {
  const pages = {
    "/": { rendering: "static" },
    "/a/[id]": { rendering: "incremental" },
  } as const;
  const sources = {
    "pages/index.tsx": "",
    "pages/a/[id].tsx": "",
    "pages/api/a.ts": "",
    "pages/api.ts": "",
  };

  test("that all have their file, and Next's own files and API routes besides", () => {
    const special = ["pages/_app.tsx", "pages/_document.tsx", "pages/404.tsx", "pages/500.tsx"];
    const others = Object.fromEntries([...special, "lib/pages/a.ts"].map((file) => [file, ""]));
    expect(routeFaults(pages, { ...sources, ...others })).toEqual([]);
  });

  test.each([
    ["b.tsx", "", '"/b": { rendering: "static" }.'],
    ["b/index.jsx", "export const getServerSideProps", '"/b": { rendering: "server" }.'],
    ["b/[...c].tsx", "revalidate: 60", '"/b/[...c]": { rendering: "incremental" }.'],
  ])("the line of pages/%s is missing, and said", (file, text, line) => {
    expect(routeFaults(pages, { ...sources, [`pages/${file}`]: text })).toEqual([
      `pages/${file} is not in lib/navigation/table.ts: add ${line}`,
    ]);
  });

  test.each([
    ["/", "static", "export const getServerSideProps", "server"],
    ["/", "server", "export { getStaticProps } from", "static"],
  ] as const)("%s, which is said to be %s, has %s", (pattern, rendering, text, found) => {
    const said = { ...pages, [pattern]: { rendering } };
    expect(routeFaults(said, { ...sources, "pages/index.tsx": text })).toEqual([
      `lib/navigation/table.ts says that / is rendered "${rendering}", but pages/index.tsx is "${found}": change the line, or the page's data function.`,
    ]);
  });

  test.each([
    ["index.tsx", "lists /, which no file has: write pages/index.tsx, or remove the line."],
    ["a/[id].tsx", "write pages/a/[id].tsx, or remove the line."],
  ])("the file pages/%s is missing", (file, sentence) => {
    const { [`pages/${file}` as keyof typeof sources]: _, ...others } = sources;
    expect(routeFaults(pages, others)).toEqual([expect.stringContaining(sentence)]);
  });
});

describe("API routes", () => {
  const unknown = "pages/api/[[...unknown]].ts";
  const optional = "/api/[[...unknown]]";
  const required = "/api/[...unknown]";

  test.each([
    ["pages/api/index.js", "/api", "rename the second to pages/api/[...unknown].ts."],
    ["pages/api.ts", "/api", "rename the second to pages/api/[...unknown].ts."],
    ["pages/api/[...path].js", "/api/[...path]", "remove the second."],
    ["pages/api/[[...path]].tsx", "/api/[[...path]]", "remove the second."],
  ])("%s is refused by Next, and the sentence leads to what it takes", (file, pattern, advice) => {
    expect(() => getSortedRoutes([pattern, optional])).toThrow();
    expect(apiFaults([file, unknown])).toEqual([expect.stringContaining(advice)]);
    const then = advice.startsWith("rename") ? [pattern, required] : [pattern];
    expect(() => getSortedRoutes(then)).not.toThrow();
    expect(apiFaults([file])).toEqual([]);
  });

  test("others are beside it", () => {
    const files = ["echo/[...path].ts", "[id].ts", "auth/[[...all]].ts", "health/index.ts"];
    expect(apiFaults([unknown, ...files.map((file) => `pages/api/${file}`)])).toEqual([]);
    const patterns = ["/api/echo/[...path]", "/api/[id]", "/api/auth/[[...all]]", "/api/health"];
    expect(() => getSortedRoutes([optional, ...patterns])).not.toThrow();
  });
});

describe("languages", () => {
  const files = ["en.ts", "pt-br.ts", "catalogue.ts", "locales.ts", "page-texts.ts", "inbox.ts"];
  const catalogue = `import { en } from "./en";\nimport { ptBr } from "./pt-br";`;

  test("that all have their texts", () => {
    expect(languageFaults(["en", "pt-BR"], files, catalogue)).toEqual([]);
  });

  test.each([
    [
      ["en", "pt-BR", "fr"],
      files,
      catalogue,
      "The language fr has no texts: write lib/messages/fr.ts.",
    ],
    [["en"], files, catalogue, "lib/messages/pt-br.ts is no language of the app: add it to"],
    [["en", "pt-BR"], files, 'import { en } from "./en";', "lib/messages/pt-br.ts is not in"],
  ])("of %j, one is forgotten somewhere", (locales, present, text, sentence) => {
    expect(languageFaults(locales, present, text)).toEqual([expect.stringContaining(sentence)]);
  });
});

test.each([
  ["# A=\n# B=2", []],
  ["# A=", ['.env.example does not explain B: add a line "# B=" there.']],
  ["# A=\n# B=\n# C=", [expect.stringContaining("explains C, which nothing reads")]],
])("of A and B, .env.example has %j", (example, faults) => {
  expect(variableFaults(["A", "B"], example)).toEqual(faults);
});

test("a version without contract tests is named, a package that is not there is not", () => {
  const tested = { next: "16.0.0", "@sentry/core": "11.0.0", gone: "1.0.0" };
  const installed: Record<string, string> = { next: "16.0.1", "@sentry/core": "11.0.0" };
  expect(versionWarnings(tested, (name) => installed[name])).toEqual([
    "next 16.0.1 is installed, and the contract tests were written for 16.0.0: follow docs/upgrading.md.",
  ]);
});

test("styles that the policy blocks are named with what is needed instead", () => {
  const sources = {
    "pages/a.tsx": "<style jsx>{`p { color: red }`}</style>",
    "pages/b.tsx": "<style global jsx>{`p { color: red }`}</style>",
    "pages/c.tsx": "<p style={{ color }}>jsx</p>",
  };
  expect(styleFaults(sources, ["next", "styled-components", "@emotion/react"])).toEqual([
    expect.stringMatching(/^pages\/a\.tsx has <style jsx>, .*docs\/security\.md/),
    expect.stringMatching(/^pages\/b\.tsx has <style jsx>, /),
    expect.stringMatching(/^package\.json has styled-components, .*docs\/security\.md/),
    expect.stringMatching(/^package\.json has @emotion\/react, /),
  ]);
});
