import { getSortedRoutes } from "next/dist/shared/lib/router/utils/sorted-routes";
import { describe, expect, test } from "vitest";
import {
  apiFaults,
  exampleFaults,
  languageFaults,
  linkFaults,
  styleFaults,
  textFaults,
  variableFaults,
  versionWarnings,
} from "@/scripts/consistency";

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

test("a file of texts that is no language of the app is named", () => {
  const files = ["en.ts", "pt-br.ts", "format.ts", "locales.ts", "product-name.ts", "inbox.ts"];
  expect(languageFaults(["en", "pt-BR"], files)).toEqual([]);
  expect(languageFaults(["de"], files)).toEqual([
    "lib/messages/pt-br.ts is no language of the app: add it to lib/messages/locales.ts, or remove the file.",
  ]);
});

test("texts of a page that no file has are named", () => {
  const files = ["pages/index.tsx", "pages/a/index.tsx", "pages/a/[id].tsx", "pages/api/b.ts"];
  expect(textFaults(["/", "/a", "/a/[id]"], files)).toEqual([]);
  expect(textFaults(["/", "/b"], files)).toEqual([
    "lib/messages/en.ts has texts of /b, which no file has: write pages/b.tsx, or remove them in each language.",
  ]);
});

describe("links", () => {
  const documents = (text: string) => ({
    "docs/a.md": text,
    "docs/b.md": "# What a *page* may load\n",
    "packages/x/README.md": text,
  });
  const faults = (text: string) =>
    linkFaults(documents(text), (path) => ["docs/b.md", "packages/x/b.md"].includes(path));

  test("lead to files and headings that are there", () => {
    expect(faults("[1](b.md) [2](https://example.com/c.md#d)")).toEqual([]);
    expect(
      linkFaults(
        {
          "docs/a.md": "# One\n\n[1](#one) [2](b.md#what-a-page-may-load)",
          "docs/b.md": documents("")["docs/b.md"],
        },
        () => true,
      ),
    ).toEqual([]);
    expect(faults("[1](c.md)")).toEqual([
      "docs/a.md links to c.md, which is not there.",
      "packages/x/README.md links to c.md, which is not there.",
    ]);
    expect(faults("[1](b.md#two)")).toEqual([
      "docs/a.md links to b.md#two, which is not there.",
      "packages/x/README.md links to b.md#two, which is not there.",
    ]);
  });

  test("of a package stay in the package", () => {
    expect(faults("[1](../../docs/b.md)")).toContain(
      "packages/x/README.md links to ../../docs/b.md, which is not in the package: name it without a link.",
    );
  });
});

test.each([
  ["# A=\n# B=2", []],
  ["# A=", ['.env.example does not explain B: add a line "# B=" there.']],
  ["# A=\n# B=\n# C=", [expect.stringContaining("explains C, which nothing reads")]],
])("of A and B, .env.example has %j", (example, faults) => {
  expect(variableFaults(["A", "B"], example)).toEqual(faults);
});

test("a variable that must be set and has no example for the tests is named", () => {
  expect(exampleFaults({ A: "a", B: "" })).toEqual([expect.stringMatching(/^B must be set, /)]);
});

test("imports of styles that are not there are named", () => {
  const source = `import a from "@/components/a.module.css";
import b from "../b.module.css";
import c from "./c.module.css";`;
  const faults = (...there: string[]) =>
    styleFaults({ "components/x/page.tsx": source }, (path) => there.includes(path));
  const files = ["components/a.module.css", "components/b.module.css", "components/x/c.module.css"];
  expect(faults(...files)).toEqual([]);
  expect(faults()).toEqual(
    files.map((file) => `components/x/page.tsx imports ${file}, which is not there.`),
  );
});

test("a version without contract tests is named, a package that is not there is not", () => {
  const tested = { next: "16.0.0", "@sentry/core": "11.0.0", gone: "1.0.0" };
  const installed: Record<string, string> = { next: "16.0.1", "@sentry/core": "11.0.0" };
  expect(versionWarnings(tested, (name) => installed[name])).toEqual([
    "next 16.0.1 is installed, and the contract tests were written for 16.0.0: follow docs/upgrading.md.",
  ]);
});
