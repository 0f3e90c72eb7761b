import { execFileSync } from "node:child_process";
import { join, sep } from "node:path";
import { expect, test } from "vitest";

/** The folders of the project that a configuration of TypeScript has files in. */
function folders(config: string): Set<string> {
  const list = execFileSync("node_modules/.bin/tsc", ["-p", config, "--listFilesOnly"]);
  const own = join(import.meta.dirname, "../../..") + sep;
  const files = list.toString().split("\n");
  return new Set(files.map((file) => file.replace(own, "").split(sep)[0] ?? ""));
}

test("the build checks the app's types, npm run check the tests' too, and neither checks public/", {
  timeout: 60_000,
}, () => {
  const [check, build] = [folders("tsconfig.json"), folders("tsconfig.build.json")];
  for (const folder of ["pages", "components", "lib"]) {
    expect(check).toContain(folder);
    expect(build).toContain(folder);
  }
  expect(check).toContain("tests");
  expect(build).not.toContain("tests");
});
