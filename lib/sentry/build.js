import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { withNames } from "./names-of-sdk.js";

/*
 * Compiles src/ to dist/, file by file: `import()` and `new Worker(new URL(…))` stay what a bundler of
 * the app's cuts its chunks at.
 */

process.chdir(import.meta.dirname);
const require = createRequire(import.meta.url);
const typescript = dirname(require.resolve("typescript/package.json"));
rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, [join(typescript, "bin/tsc"), "--project", "tsconfig.json"], {
  stdio: "inherit",
});

for (const file of readdirSync("dist", { recursive: true, encoding: "utf8" })) {
  if (!file.endsWith(".js")) continue;
  const path = join("dist", file);
  const text = readFileSync(path, "utf8");
  // TypeScript changes the endings of what is imported, but not of the files that threads run.
  let compiled = text.replace(/(?<=new URL\("\.\/[\w-]{1,99})\.ts"/g, '.js"');
  if (file === "index.server.js" || file.startsWith("server")) compiled = withNames(compiled);
  if (compiled !== text) writeFileSync(path, compiled);
}
