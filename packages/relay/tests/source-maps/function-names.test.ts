import { describe, expect, test } from "vitest";
import { enclosingFunction } from "@/packages/relay/src/source-maps/source-map";

/** The function around the mark `§` in some code. */
function around(code: string): string | undefined {
  const lines = code.split("\n");
  const line = lines.findIndex((text) => text.includes("§"));
  return enclosingFunction(lines, line, lines[line]?.indexOf("§") ?? 0);
}

describe("names the function around a position", () => {
  test.each([
    ["a function", "function load() {\n  §fail();\n}", "load"],
    [
      "a component",
      "export default function Page({ a }) {\n  return (\n    <b>{§x}</b>\n  );\n}",
      "Page",
    ],
    ["an arrow function", "const load = async (id) => {\n  §fail();\n};", "load"],
    ["one with types", "const load = (id: string): Promise<void> => {\n  §fail();\n};", "load"],
    ["one on a line", "const load = (id) => §fail(id);", "load"],
    [
      "a data function",
      "export const getStaticProps = (async () => {\n  §x();\n}) satisfies P;",
      "getStaticProps",
    ],
    [
      "a handler",
      "function Form() {\n  return (\n    <b onClick={() => {\n      §x();\n    }} />\n  );\n}",
      "onClick",
    ],
    [
      "a method",
      "class A {\n  static async load(id: string): Promise<void> {\n    §x();\n  }\n}",
      "load",
    ],
    ["a private method", "class A {\n  #load() {\n    §x();\n  }\n}", "#load"],
    ["a property", "const a = {\n  load: function () {\n    §x();\n  },\n};", "load"],
    ["a head over several lines", "function load(\n  a: string,\n): string {\n  §x();\n}", "load"],
    [
      "a block in it",
      "function load() {\n  if (a) {\n    for (;;) {\n      §x();\n    }\n  }\n}",
      "load",
    ],
    ["a callback in it", "function List() {\n  useEffect(() => {\n    §x();\n  });\n}", "List"],
    ["the later of two", "function a() {\n  x();\n}\n\nfunction b() {\n  §x();\n}", "b"],
  ])("%s", (_, code, name) => {
    expect(around(code)).toBe(name);
  });
});

test("a module's top level has no name", () => {
  expect(around("function a() {\n  x();\n}\n\n§x();")).toBeUndefined();
  expect(around("if (a) {\n  §x();\n}")).toBeUndefined();
  expect(enclosingFunction(["a"], 7, 3)).toBeUndefined();
});

/** Were the time to grow with the square of the length, this would run into the limit for tests. */
test("a line of a megabyte has no name", () => {
  const lines = [`${"a=(".repeat(100_000)}`, `  ${"x:y=".repeat(250_000)}`, "    z"];
  expect(enclosingFunction(lines, 2, 4)).toBeUndefined();
  expect(enclosingFunction(lines, 1, 900_000)).toBeUndefined();
});
