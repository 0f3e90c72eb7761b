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

/**
 * Compiles a package's src/ to its dist/, file by file: `import()` and `new Worker(new URL(…))` stay what a
 * bundler of the app's cuts its chunks at.
 *
 * @param {string} folder of the package
 * @param {(file: string, text: string) => string} finish changes the text of a compiled script
 */
export function compile(folder, finish = (_, text) => text) {
  process.chdir(folder);
  const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
  // Beside it first: a server may be running on what is there.
  const made = mkdtempSync("dist-");
  try {
    const options = ["--project", "tsconfig.json", "--outDir", made];
    execFileSync(process.execPath, [join(typescript, "bin/tsc"), ...options], { stdio: "inherit" });
    const files = filesIn(made);
    for (const file of files) {
      const text = readFileSync(join(made, file), "utf8");
      const finished = file.endsWith(".js") ? finish(file, withThreads(text)) : text;
      const path = join("dist", file);
      if (existsSync(path) && readFileSync(path, "utf8") === finished) continue;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(join(made, file), finished);
      renameSync(join(made, file), path);
    }
    for (const file of filesIn("dist")) if (!files.includes(file)) rmSync(join("dist", file));
  } finally {
    rmSync(made, { recursive: true });
  }
}

/** @param {string} folder */
function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/**
 * TypeScript changes the endings of what is imported, but not of the files that threads run.
 *
 * @param {string} text
 */
function withThreads(text) {
  return text.replace(/(?<=new URL\("\.\/[\w-]{1,99})\.ts"/g, '.js"');
}
