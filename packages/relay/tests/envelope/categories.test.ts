import { expect, test } from "vitest";
import { categorySet, priorityOf } from "@/packages/relay/src/envelope/categories";

test.each([
  ["high", ["error"]],
  ["high", ["feedback"]],
  ["high", ["attachment"]],
  ["high", ["transaction", "error"]],
  ["high", ["internal", "feedback"]],
  ["low", ["transaction", "profile"]],
  ["low", ["span"]],
  ["low", ["session"]],
  ["low", ["internal"]],
  ["low", ["default"]],
  ["low", []],
])("of %s priority are %j", (priority, names) => {
  expect(priorityOf(categorySet(names))).toBe(priority);
});
