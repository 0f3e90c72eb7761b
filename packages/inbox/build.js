import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/* Compiles src/ to dist/, file by file, and takes what browsers load along as it is. */

process.chdir(import.meta.dirname);
const require = createRequire(import.meta.url);
const typescript = dirname(require.resolve("typescript/package.json"));
// Beside it first: a server may be running on what is there.
const made = mkdtempSync("dist-");
try {
  const options = ["--project", "tsconfig.json", "--outDir", made];
  execFileSync(process.execPath, [join(typescript, "bin/tsc"), ...options], { stdio: "inherit" });
  copyFileSync("src/assets/inbox.css", join(made, "assets/inbox.css"));
  rmSync("dist", { recursive: true, force: true });
  renameSync(made, "dist");
} finally {
  rmSync(made, { recursive: true, force: true });
}
