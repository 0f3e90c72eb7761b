import { describe, expect, test } from "vitest";
import { findSources, type RawMap } from "@/packages/relay/src/source-maps/source-map";
import { encodeMappings, type Mapping, simpleMap } from "@/tests/support/source-maps";

/** What a map of a server's file says of these positions. */
function find(map: object, ...positions: [line: number, column: number][]) {
  const file = "server/chunks/0a.js";
  return findSources(
    map as RawMap,
    positions.map(([line, column]) => ({ file, line, column })),
    ".next",
  );
}

describe("a source's path in the project", () => {
  test.each([
    ["turbopack:///[project]/pages/index.tsx", "pages/index.tsx", true],
    ["turbopack:///[project]/node_modules/react/index.js", "node_modules/react/index.js", false],
    ["turbopack:///[turbopack]/browser/runtime.ts", "[turbopack]/browser/runtime.ts", false],
    ["webpack://_N_E/./pages/index.tsx", "pages/index.tsx", true],
    ["../../../pages/[id].tsx", "pages/[id].tsx", true],
    ["../../../node_modules/%40sentry/core/a.js", "node_modules/@sentry/core/a.js", false],
  ])("%s is %s, and only own code is shown", (source, path, own) => {
    const [found] = find(simpleMap(source, "a\nb", [[0, 0, 1, 0]]), [0, 0]);
    const code = own ? { before: ["a"], line: "b", after: [] } : undefined;
    expect(found).toEqual({
      ...{ resolved: true, file: path, line: 2, column: 1, function: undefined, own, code },
    });
  });
});

test("a path in the project counts the folders of Next's own folder", () => {
  const map = simpleMap("../../../../pages/a.ts", "a", [[0, 0, 0, 0]]) as RawMap;
  const position = { file: "server/chunks/0a.js", line: 0, column: 0 };
  expect(findSources(map, [position], "dist/next")).toMatchObject([{ file: "pages/a.ts" }]);
});

test("an own line comes with five lines on either side", () => {
  const lines = Array.from({ length: 20 }, (_, i) => `line${i}`);
  const map = simpleMap("../../../a.ts", lines.join("\r\n"), [[3, 0, 9, 1]]);
  const [before, found, below] = find(map, [0, 2], [0, 30], [1, 3]);
  expect([before, below]).toEqual([undefined, undefined]);
  expect(found).toMatchObject({
    line: 10,
    column: 2,
    code: {
      before: ["line4", "line5", "line6", "line7", "line8"],
      line: "line9",
      after: ["line10", "line11", "line12", "line13", "line14"],
    },
  });
});

test("a long line is cut around the position", () => {
  const text = `${"a".repeat(5000)}here${"b".repeat(5000)}`;
  const [found] = find(simpleMap("../../../a.ts", text, [[0, 0, 0, 5000]]), [0, 0]);
  expect(found?.code?.line.length).toBe(200);
  expect(found?.code?.line).toContain("here");
});

test("a source without its text is a place without code", () => {
  const [found] = find(simpleMap("../../../pages/a.ts", undefined, [[0, 0, 4, 2]]), [0, 0]);
  expect(found).toMatchObject({ file: "pages/a.ts", line: 5, column: 3, code: undefined });
});

test("of segments that begin at the position the first counts, before it the last", () => {
  const map = simpleMap(
    "../../../a.ts",
    "a\nb\nc",
    [0, 1, 2].map((line) => [4, 0, line, 0]),
  );
  expect(find(map, [0, 4], [0, 5]).map((place) => place?.line)).toEqual([1, 3]);
});

test("code that has no source ends what stands before it", () => {
  const map = { version: 3, sources: ["../../../a.ts"], mappings: "AAAA,K;K" };
  const found = find(map, [0, 4], [0, 5], [1, 6]);
  expect(found.map((place) => place?.file)).toEqual(["a.ts", undefined, undefined]);
});

test("each section of a map counts from its own beginning", () => {
  const part = (name: string) =>
    simpleMap(`../../../${name}.ts`, name, [
      [0, 0, 0, 0],
      [5, 0, 0, 0],
    ]);
  const map = {
    version: 3,
    sections: [
      { offset: { line: 0, column: 10 }, map: part("a") },
      { offset: { line: 0, column: 20 }, map: part("b") },
      { offset: { line: 2, column: 4 }, map: part("c") },
    ],
  };
  const found = find(map, [2, 4], [0, 9], [0, 10], [0, 19], [0, 20], [1, 0], [2, 3]);
  const files = ["c.ts", undefined, "a.ts", "a.ts", "b.ts", undefined, undefined];
  expect(found.map((place) => place?.file)).toEqual(files);
});

test("a stack that goes to and fro between two large sources costs what these two cost", () => {
  const text = "a();\n".repeat(400_000);
  const mappings = Array.from({ length: 250 }, (_, i): Mapping => [i, i % 2, i * 1_000, 0]);
  const map = {
    version: 3,
    sources: ["../../../a.ts", "../../../b.ts"],
    sourcesContent: [text, `${text}b();`],
    mappings: encodeMappings([mappings]),
  };
  const before = process.cpuUsage();
  const found = find(map, ...mappings.map(([column]): [number, number] => [0, column]));
  expect(found.at(-1)).toMatchObject({ file: "b.ts", line: 249_001 });
  // Split anew for each frame, they took 4 s.
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});
