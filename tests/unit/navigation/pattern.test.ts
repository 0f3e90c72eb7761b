import { expect, test } from "vitest";
import { fillPattern, isDynamic, paramsOf } from "@/lib/navigation/pattern";

test("parameters go into a path and come out of it again", () => {
  const params = { id: "a/b", path: ["ü", "%", "[x]"] };
  const path = fillPattern("/x/[id]/[...path]", params);
  expect(path).toBe("/x/a%2Fb/%C3%BC/%25/%5Bx%5D");
  expect(paramsOf("/x/[id]/[...path]", `${path}?id=other`)).toEqual(params);
});

test("an optional catch-all may have no segment", () => {
  expect(fillPattern("/x/[[...path]]", {})).toBe("/x");
  expect(paramsOf("/x/[[...path]]", "/x?path=no")).toEqual({});
});

test("a pattern without parameters is its own path", () => {
  expect(["/", "/a-b/c"].map((pattern) => fillPattern(pattern, {}))).toEqual(["/", "/a-b/c"]);
  expect(["/a-b", "/[b]", "/[[...my-path]]"].map(isDynamic)).toEqual([false, true, true]);
  expect(fillPattern("/[[...my-path]]", { "my-path": ["a"] })).toBe("/a");
});
