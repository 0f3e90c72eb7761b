import { expect, test } from "vitest";
import { isOldNode } from "@/scripts/node-version.js";

test.each(["18.20.8", "20.0.0", "20.18.9"])("Node %s is too old for 20.19", (version) => {
  expect(isOldNode(version, "20.19")).toBe(true);
});

test.each(["20.19.0", "20.20.2", "22.0.0", "24.1.0"])("Node %s will do for 20.19", (version) => {
  expect(isOldNode(version, "20.19")).toBe(false);
});
