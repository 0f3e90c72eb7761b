import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";

/** Folders that hold nothing the build reads. */
const besideTheBuild = [
  "node_modules",
  "tests",
  "test-results",
  "playwright-report",
  "scripts",
  "docs",
  "data",
];
const besideTheBuildAtTheRoot = ["biome.json", "next-env.d.ts"];
const buildVariable =
  /^(NEXT_PUBLIC_\w+|NEXT_DEPLOYMENT_ID|SOURCE_MAPS|SENTRY_(AUTH_TOKEN|ORG|PROJECT))$/;

/**
 * Paths below the root, of every file that the build may read, in a fixed order. At the root only
 * code and JSON count, so that a log written there does not look like a change.
 *
 * @param {string} root
 * @param {string} dataDir absolute; left out wherever it lies
 */
function sourceFiles(root, dataDir) {
  return readdirSync(root, { withFileTypes: true })
    .flatMap((entry) => {
      if (entry.name.startsWith(".") || besideTheBuild.includes(entry.name)) return [];
      const path = join(root, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      const counts = /\.([cm]?[jt]sx?|json|css)$/.test(entry.name);
      const isForTests = /^(vitest|playwright)\.config\./.test(entry.name);
      return counts && !isForTests && !besideTheBuildAtTheRoot.includes(entry.name) ? [path] : [];
    })
    .filter((path) => !path.startsWith(dataDir + sep))
    .map((path) => relative(root, path))
    .sort();
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/**
 * One hash over everything that decides what a build holds: sources, lockfile and build-time
 * variables. An empty variable counts as not set.
 *
 * @param {string} root
 * @param {Record<string, string | undefined>} env
 * @returns {string} 64 hex digits
 */
export function sourceHash(root, env) {
  const hash = createHash("sha256");
  for (const path of sourceFiles(root, resolve(root, env.DATA_DIR || "data"))) {
    const bytes = readFileSync(join(root, path));
    hash.update(`${path.split(sep).join("/")}\0${bytes.length}\0`).update(bytes);
  }
  for (const name of Object.keys(env).sort()) {
    if (buildVariable.test(name) && env[name]) hash.update(`${name}=${env[name]}\0`);
  }
  return hash.digest("hex");
}

/**
 * Whether the build in a folder was not made, by `npm run build`, from these sources.
 *
 * @param {string} dist such as ".next"
 * @param {string} hash from {@link sourceHash}
 */
export function buildIsStale(dist, hash) {
  try {
    const stamp = JSON.parse(readFileSync(join(dist, "stamp.json"), "utf8"));
    return stamp.sources !== hash || stamp.build !== readFileSync(join(dist, "BUILD_ID"), "utf8");
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT") return true;
    throw error;
  }
}

/**
 * Notes what a finished build was made from. The build's id is kept beside it: a later build that
 * did not go through here has another.
 *
 * @param {string} dist
 * @param {string} hash taken before the build began, so that a change made meanwhile shows
 */
export function writeStamp(dist, hash) {
  const build = readFileSync(join(dist, "BUILD_ID"), "utf8");
  writeFileSync(join(dist, "stamp.json"), `${JSON.stringify({ sources: hash, build })}\n`);
}
