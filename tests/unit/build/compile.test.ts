import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, writeIn } from "@/tests/support/folders";

test("a package's files stay in place while it is compiled once more", () => {
  const folder = temporaryFolder();
  writeIn(folder, "src/index.ts", "export const one: number = 1;\n");
  writeIn(folder, "src/assets/page.css", "body {}\n");
  const compilerOptions = { rootDir: "src", module: "nodenext", types: [] };
  writeIn(folder, "tsconfig.json", JSON.stringify({ compilerOptions, include: ["src"] }));
  const compile = () => {
    const url = new URL("../../../packages/compile.js", import.meta.url);
    const call = `import { compile } from ${JSON.stringify(url)}; compile(${JSON.stringify(folder)});`;
    execFileSync(process.execPath, ["--input-type=module", "--eval", call], { stdio: "inherit" });
    return ["index.js", "assets/page.css"].map((name) => {
      const file = join(folder, "dist", name);
      return [readFileSync(file, "utf8"), statSync(file).birthtimeMs];
    });
  };
  const once = compile();
  expect(once[1]?.[0]).toBe("body {}\n");
  expect(compile()).toEqual(once);
});
