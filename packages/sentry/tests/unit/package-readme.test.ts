import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { variables } from "@/packages/sentry/src/shared/environment/runtime";

test("the README of the package names each variable that it reads, and no other", () => {
  const text = readFileSync("packages/sentry/README.md", "utf8");
  const table = /\n## Variables\n(.*?)\n## /s.exec(text)?.[1] ?? "";
  const rows = table.split("\n").filter((line) => line.startsWith("| `"));
  const names = rows.flatMap((row) => [...(row.split(" | ")[0] ?? "").matchAll(/`([A-Z_]+)`/g)]);
  expect(names.map(([, name]) => name).sort()).toEqual(variables.toSorted());
});
