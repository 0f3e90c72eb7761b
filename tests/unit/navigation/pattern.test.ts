import { expect, test } from "vitest";
import { isDynamic, paramsOf } from "@/lib/navigation/pattern";

test("parameters come out of a path, whatever its query says", () => {
  const params = { id: "a/b", path: ["ü", "%", "[x]"] };
  const path = "/x/a%2Fb/%C3%BC/%25/%5Bx%5D?id=other";
  expect(paramsOf("/x/[id]/[...path]", path)).toEqual(params);
});

test("an optional catch-all may have no segment", () => {
  expect(paramsOf("/x/[[...path]]", "/x?path=no")).toEqual({});
});

test("a pattern is dynamic where a segment of it is", () => {
  expect(["/a-b", "/[b]", "/[[...my-path]]"].map(isDynamic)).toEqual([false, true, true]);
});
