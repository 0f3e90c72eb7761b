import { expect, test } from "vitest";
import { categorySet, priorityOf } from "@/lib/envelope/categories";

test.each([
  [["error"]],
  [["feedback"]],
  [["attachment"]],
  [["error", "attachment"]],
  [["transaction", "error"]],
  [["internal", "feedback"]],
])("%j is of high priority", (names) => {
  expect(priorityOf(categorySet(names))).toBe("high");
});

test.each([
  [["transaction"]],
  [["transaction", "profile"]],
  [["span"]],
  [["session"]],
  [["internal"]],
  [["default"]],
  [[]],
])("%j is of low priority", (names) => {
  expect(priorityOf(categorySet(names))).toBe("low");
});
