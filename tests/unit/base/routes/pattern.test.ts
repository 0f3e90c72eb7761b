import { expect, test } from "vitest";
import { fillPattern, paramsOf, parsePattern } from "@/lib/base/routes/pattern";

test("a pattern is read segment by segment", () => {
  expect(parsePattern("/a/[b]/[...c]")).toEqual([
    { kind: "static", name: "a", text: "a" },
    { kind: "param", name: "b", text: "[b]" },
    { kind: "catch-all", name: "c", text: "[...c]" },
  ]);
  expect(parsePattern("/[[...my-path]]")).toEqual([
    { kind: "optional-catch-all", name: "my-path", text: "[[...my-path]]" },
  ]);
  expect(parsePattern("/")).toEqual([]);
});

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
