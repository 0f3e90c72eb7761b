import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { withBrowserNames, withNames } from "./names-of-sdk.js";

/*
 * Compiles src/ to dist/, file by file: `import()` and `new Worker(new URL(…))` stay what a bundler of
 * the app's cuts its chunks at.
 */

process.chdir(import.meta.dirname);
const require = createRequire(import.meta.url);
const typescript = dirname(require.resolve("typescript/package.json"));
// Beside it first: a server may be running on what is there.
const made = mkdtempSync("dist-");
try {
  const options = ["--project", "tsconfig.json", "--outDir", made];
  execFileSync(process.execPath, [join(typescript, "bin/tsc"), ...options], { stdio: "inherit" });
  const files = filesIn(made);
  for (const file of files) {
    const text = finished(file, readFileSync(join(made, file), "utf8"));
    const path = join("dist", file);
    if (existsSync(path) && readFileSync(path, "utf8") === text) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(join(made, file), text);
    renameSync(join(made, file), path);
  }
  for (const file of filesIn("dist")) if (!files.includes(file)) rmSync(join("dist", file));
} finally {
  rmSync(made, { recursive: true });
}

/** @param {string} folder */
function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/**
 * @param {string} file
 * @param {string} text as TypeScript writes it
 */
function finished(file, text) {
  if (!file.endsWith(".js")) return text;
  // TypeScript changes the endings of what is imported, but not of the files that threads run.
  const compiled = text.replace(/(?<=new URL\("\.\/[\w-]{1,99})\.ts"/g, '.js"');
  if (file === join("browser", "sdk", "names.js")) return withBrowserNames(compiled);
  return file === "index.server.js" || file.startsWith("server") ? withNames(compiled) : compiled;
}
