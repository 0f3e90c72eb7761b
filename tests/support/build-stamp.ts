import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";

/** What the build does not read. */
const unrelatedFolders =
  /^(\..*|node_modules|tests|test-results|playwright-report|scripts|docs|deploy|data)$/;
const unrelatedRootFiles = /^(biome\.json|next-env\.d\.ts|(vitest|playwright)\.config\..*)$/;
const buildVariable =
  /^(NEXT_PUBLIC_\w+|NEXT_DEPLOYMENT_ID|SITE_ORIGIN|SOURCE_MAPS|SENTRY_(AUTH_TOKEN|ORG|PROJECT))$/;

/**
 * The paths, below the root and in a fixed order, of all files that the build may read. At the root
 * only code and JSON count, so that a log file there is not taken for a change.
 *
 * @param dataDir absolute; left out, wherever it is
 */
function sourceFiles(root: string, dataDir: string) {
  return readdirSync(root, { withFileTypes: true })
    .flatMap((entry) => {
      if (unrelatedFolders.test(entry.name)) return [];
      const path = join(root, entry.name);
      if (entry.isDirectory()) {
        return readdirSync(path, { recursive: true, withFileTypes: true })
          .filter((below) => !below.isDirectory())
          .map((below) => join(below.parentPath, below.name));
      }
      const counts = /\.([cm]?[jt]sx?|json|css)$/.test(entry.name);
      return counts && !unrelatedRootFiles.test(entry.name) ? [path] : [];
    })
    .filter((path) => !path.startsWith(dataDir + sep))
    .map((path) => relative(root, path))
    .sort();
}

/**
 * One hash over everything that the build depends on: sources, lockfile and build variables. An empty
 * variable counts as not set.
 *
 * @returns 64 hex digits
 */
export function sourceHash(root: string, env: Record<string, string | undefined>): string {
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
 * Whether the build in a folder is missing, or was not made from these sources.
 * `next build` removes the stamp.
 *
 * @param dist such as ".next"
 * @param hash from {@link sourceHash}
 */
export function buildIsStale(dist: string, hash: string) {
  const stamp = join(dist, "stamp");
  return !existsSync(stamp) || readFileSync(stamp, "utf8") !== hash;
}

/**
 * Notes which sources a finished build was made from.
 *
 * @param hash computed before the build, so that a later change counts as a change
 */
export function writeStamp(dist: string, hash: string) {
  writeFileSync(join(dist, "stamp"), hash);
}
