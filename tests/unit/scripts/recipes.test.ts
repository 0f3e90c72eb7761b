import { describe, expect, test } from "vitest";
import { applyDiff } from "@/tests/support/recipes.js";

const text = "a {\n  one\n  two\n}\nb {\n  one\n}\n";

describe("a diff", () => {
  test.each([
    [" a {\n+  zero\n", "a {\n  zero\n  one\n  two\n}\nb {\n  one\n}\n"],
    ["-a {\n-…\n-}\n b {\n", "b {\n  one\n}\n"],
    ["-  t…\n", "a {\n  one\n}\nb {\n  one\n}\n"],
    ["-  two\n+  deux\n@@\n b {\n-  one\n+  un\n", "a {\n  one\n  deux\n}\nb {\n  un\n}\n"],
  ])("%j is applied", (diff, expected) => {
    expect(applyDiff(text, diff, "x.ts")).toBe(expected);
  });

  test.each([
    ["-  one\n", 2],
    ["-  three\n", 0],
    ["-one\n", 0],
  ])("%j has %i places, which is refused", (diff, places) => {
    expect(() => applyDiff(text, diff, "x.ts")).toThrow(`x.ts has ${places} places`);
  });
});
