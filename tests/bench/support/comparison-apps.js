import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { nextBuild } from "../../support/next-build.ts";

/**
 * @typedef {Record<string, string>} Files text by path inside the app
 */

/**
 * Below the project, so that the very same packages are found, and Turbopack allows them.
 *
 * @param {string} name
 */
const folderOf = (name) => `.next-variants/bench/${name}`;

/**
 * Writes and builds a plain Next app to compare with, unless the same was built before.
 *
 * @param {string} name
 * @param {Files} files `next.config.js` is the base's if there is none
 * @returns {Promise<string>} its folder
 */
export async function comparisonApp(name, files) {
  const folder = folderOf(name);
  const all = { "package.json": '{"private":true,"type":"module"}', ...config(), ...files };
  const hash = createHash("sha256")
    .update(JSON.stringify(all))
    .update(readFileSync("package-lock.json"))
    .digest("hex");
  const stamp = join(folder, ".next", "bench-stamp");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return folder;
  console.log(`Building the ${name} app …`);
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  await nextBuild(folder);
  writeFileSync(stamp, hash);
  return folder;
}

/**
 * A Next configuration with what every app here must say, since it lies inside another one.
 *
 * @param {{ imports?: string, wrap?: (config: string) => string, more?: string }} [options] source
 *   text: imports, what to wrap the configuration in, and more settings
 * @returns {Files}
 */
export function config({ imports = "", wrap = (text) => text, more = "" } = {}) {
  const settings = `{
  turbopack: { root: join(import.meta.dirname, "../../..") },
  outputFileTracingRoot: join(import.meta.dirname, "../../.."),
  ${more}
}`;
  return {
    "next.config.js": `import { join } from "node:path";
${imports}
export default ${wrap(settings)};
`,
  };
}
