import { describe, expect, test } from "vitest";
import { projectPath, SourceMap } from "@/lib/source-maps/source-map";
import { encodeMappings, simpleMap } from "@/tests/support/source-maps";

const file = ".next/server/chunks/0a.js";

describe("a source's path in the project", () => {
  test.each([
    ["turbopack:///[project]/pages/index.tsx", "pages/index.tsx"],
    ["turbopack:///[project]/node_modules/react/index.js", "node_modules/react/index.js"],
    ["turbopack:///[turbopack]/browser/runtime.ts", "[turbopack]/browser/runtime.ts"],
    ["webpack://_N_E/./pages/index.tsx", "pages/index.tsx"],
    ["../../../pages/[id].tsx", "pages/[id].tsx"],
    ["../../../node_modules/%40sentry/core/a.js", "node_modules/@sentry/core/a.js"],
  ])("%s is %s", (source, path) => {
    expect(projectPath(source, ".next/server/chunks")).toBe(path);
  });

  test.each([
    ["../../../../etc/passwd"],
    ["turbopack:///[project]/../etc/passwd"],
    ["turbopack:///[project]/a/../../etc/passwd"],
    ["turbopack:////etc/passwd"],
    ["..%2f..%2f..%2f..%2fetc/passwd"],
    ["..\\..\\..\\..\\etc"],
    ["/etc/passwd"],
    ["file:///etc/passwd"],
    ["https://example.com/a.js"],
    ["webpack://a/https://example.com/a.js"],
    ["//example.com/a.js"],
    ["data:text/javascript,1"],
    ["a\nb.ts"],
    ["%"],
    ["a".repeat(501)],
    [""],
    [undefined],
  ])("%j is none", (source) => {
    expect(projectPath(source, ".next/server/chunks")).toBeUndefined();
  });
});

test("an own line comes with five lines on either side", () => {
  const lines = Array.from({ length: 20 }, (_, i) => `line${i}`);
  const map = new SourceMap(
    file,
    JSON.stringify(
      simpleMap("turbopack:///[project]/lib/a.ts", lines.join("\r\n"), [[3, 0, 9, 1]]),
    ),
  );
  expect(map.find(0, 2)).toBeUndefined();
  expect(map.find(1, 3)).toBeUndefined();
  expect(map.find(0, 30)).toMatchObject({
    file: "lib/a.ts",
    line: 10,
    column: 2,
    own: true,
    code: {
      before: ["line4", "line5", "line6", "line7", "line8"],
      line: "line9",
      after: ["line10", "line11", "line12", "line13", "line14"],
    },
  });
});

test("at a file's end there is less code, and of a library none", () => {
  const at = (source: string) =>
    new SourceMap(file, JSON.stringify(simpleMap(source, "a\nb", [[0, 0, 1, 0]]))).find(0, 0);
  expect(at("turbopack:///[project]/a.ts")?.code).toEqual({ before: ["a"], line: "b", after: [] });
  for (const source of ["[project]/node_modules/a.js", "[turbopack]/runtime.js"]) {
    expect(at(`turbopack:///${source}`)).toMatchObject({ own: false, code: undefined });
  }
});

test("a long line is cut around the position", () => {
  const text = `${"a".repeat(5000)}here${"b".repeat(5000)}`;
  const map = new SourceMap(
    file,
    JSON.stringify(simpleMap("../../../a.ts", text, [[0, 0, 0, 5000]])),
  );
  const line = map.find(0, 0)?.code?.line ?? "";
  expect(line.length).toBe(200);
  expect(line).toContain("here");
});

test("a source without its text is a place without code", () => {
  const map = new SourceMap(
    file,
    JSON.stringify(simpleMap("../../../pages/a.ts", undefined, [[0, 0, 4, 2]])),
  );
  expect(map.find(0, 0)).toEqual({
    file: "pages/a.ts",
    line: 5,
    column: 3,
    own: true,
    inside: undefined,
    calls: undefined,
    code: undefined,
  });
});

test("each section of a map counts from its own beginning", () => {
  const part = (name: string) =>
    simpleMap(`../../../${name}.ts`, name, [
      [0, 0, 0, 0],
      [5, 0, 0, 0],
    ]);
  const map = new SourceMap(
    file,
    JSON.stringify({
      version: 3,
      sections: [
        { offset: { line: 0, column: 10 }, map: part("a") },
        { offset: { line: 0, column: 20 }, map: part("b") },
        { offset: { line: 2, column: 4 }, map: part("c") },
      ],
    }),
  );
  const found = (line: number, column: number) => map.find(line, column)?.file;
  expect(found(0, 9)).toBeUndefined();
  expect(found(0, 10)).toBe("a.ts");
  expect(found(0, 19)).toBe("a.ts");
  expect(found(0, 20)).toBe("b.ts");
  expect(found(1, 0)).toBeUndefined();
  expect(found(2, 3)).toBeUndefined();
  expect(found(2, 4)).toBe("c.ts");
});

test.each([
  ["no JSON", "<html>"],
  ["nothing", "null"],
  ["no mappings", JSON.stringify({ version: 3, sources: ["a.ts"] })],
  [
    "a section at an address",
    JSON.stringify({ sections: [{ offset: { line: 0, column: 0 }, url: "a" }] }),
  ],
  [
    "a section of sections",
    JSON.stringify({ sections: [{ offset: { line: 0, column: 0 }, map: { sections: [] } }] }),
  ],
])("%s is no source map", (_, json) => {
  expect(() => new SourceMap(file, json)).toThrow();
});

test("going to and fro between sources splits each of them once, and what is kept counts", () => {
  const sources = ["a", "b"].map((name) => ({ name, content: `${name}\n`.repeat(10_000) }));
  const map = new SourceMap(
    file,
    JSON.stringify({
      version: 3,
      sources: sources.map(({ name }) => `../../../${name}.ts`),
      sourcesContent: sources.map(({ content }) => content),
      mappings: encodeMappings([[0, 1].map((i) => [i, i, 9_999, 0])]),
    }),
  );
  map.find(0, 7);
  const alone = map.bytes;
  const places = [0, 1, 0, 1].map((column) => map.find(0, column)?.file);
  expect(places).toEqual(["a.ts", "b.ts", "a.ts", "b.ts"]);
  // Where each of the 10,001 lines of each source begins.
  expect(map.bytes - alone).toBe(4 * 10_001);
});
