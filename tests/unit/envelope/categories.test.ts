import { expect, test } from "vitest";
import { categorySet, isExpendable } from "@/lib/envelope/categories";

test.each([
  [["error"]],
  [["feedback"]],
  [["attachment"]],
  [["error", "attachment"]],
  [["transaction", "error"]],
  [["internal", "feedback"]],
])("%j is important", (names) => {
  expect(isExpendable(categorySet(names))).toBe(false);
});

test.each([
  [["transaction"]],
  [["transaction", "profile"]],
  [["span"]],
  [["session"]],
  [["internal"]],
  [["default"]],
  [[]],
])("%j is evicted for what is important", (names) => {
  expect(isExpendable(categorySet(names))).toBe(true);
});
