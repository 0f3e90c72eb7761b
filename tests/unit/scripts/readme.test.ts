import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { order } from "@/tests/e2e/takeover/add";

test("the README's first example is the page that the test of additions builds", () => {
  expect(readFileSync("README.md", "utf8")).toContain(order);
});
