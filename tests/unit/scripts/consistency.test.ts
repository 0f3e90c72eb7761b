import { describe, expect, test } from "vitest";
import {
  environmentFaults,
  languageFaults,
  routeFaults,
  styleFaults,
  variableFaults,
  versionWarnings,
} from "@/scripts/consistency";

describe("routes", () => {
  const pages = { "/": {}, "/a/[id]": {} };
  const api = ["/api/a", "/api/[[...rest]]"];
  const files = ["index.tsx", "a/[id].tsx", "api/a.ts", "api/[[...rest]].ts"];

  test("that all have their file, and Next's own files besides", () => {
    const special = ["_app.tsx", "_document.tsx", "404.tsx", "500.tsx", "a/style.module.css", "a"];
    expect(routeFaults(pages, api, [...files, ...special])).toEqual([]);
  });

  test.each([
    ["b.tsx", 'pages/b.tsx is not in lib/routes/table.ts: add "/b" to pages'],
    ["b/index.jsx", 'pages/b/index.jsx is not in lib/routes/table.ts: add "/b" to pages'],
    ["b/[...c].tsx", 'add "/b/[...c]" to pages'],
    ["api/b.ts", 'pages/api/b.ts is not in lib/routes/table.ts: add "/api/b" to apiRoutes.'],
  ])("the line of pages/%s is missing", (file, sentence) => {
    expect(routeFaults(pages, api, [...files, file])).toEqual([expect.stringContaining(sentence)]);
  });

  test.each([
    ["index.tsx", "lists /, which no file has: write pages/index.tsx, or remove the line."],
    ["a/[id].tsx", "write pages/a/[id].tsx, or remove the line."],
    ["api/a.ts", "write pages/api/a.ts, or remove the line."],
  ])("the file pages/%s is missing", (file, sentence) => {
    const others = files.filter((other) => other !== file);
    expect(routeFaults(pages, api, others)).toEqual([expect.stringContaining(sentence)]);
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
  ["# A=\n# B=\n# A=", [expect.stringContaining("explains A twice")]],
])("of A and B, .env.example has %j", (example, faults) => {
  expect(variableFaults(["A", "B"], example)).toEqual(faults);
});

test("the environment is read in lib/config only", () => {
  const sources = {
    "lib/config/runtime.ts": "process.env",
    "lib/a.ts": "process.env.A",
    "pages/a.tsx": "process.environment",
    "pages/b.tsx": "/* Not from\n process.env */ // nor process.env here",
  };
  expect(environmentFaults(sources)).toEqual([
    "lib/a.ts reads process.env: add the variable to lib/config/own.ts, and read it from runtimeConfig().own. That is for the server: a component gets the value from its page's getServerSideProps or getStaticProps.",
  ]);
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
