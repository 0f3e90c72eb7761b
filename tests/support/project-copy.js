import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";

/** What belongs to one working copy alone: packages, builds, data, results, local variables. */
const ownOfEach =
  /^(node_modules|data|test-results|playwright-report|next-env\.d\.ts|\.git|\.next.*|\.env(\.local)?|.*\.tsbuildinfo)$/;

/**
 * Makes or renews a copy of the project with the same packages. What the copy has built stays.
 *
 * @param {string} folder of the copy, anywhere on the project's disk
 * @param {(path: string) => boolean} [wanted] whether a file or folder at the root is copied
 */
export function copyProject(folder, wanted = () => true) {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    if (!ownOfEach.test(name)) rmSync(join(folder, name), { recursive: true });
  }
  for (const name of readdirSync(".")) {
    if (ownOfEach.test(name) || !wanted(name)) continue;
    cpSync(name, join(folder, name), { recursive: true });
  }
  sharePackages(folder);
  // What Turbopack has compiled for the project's own build: the copy's first one takes a quarter of the time.
  const compiled = ".next/cache/turbopack";
  const own = join(folder, compiled);
  if (existsSync(compiled) && !existsSync(own)) cpSync(compiled, own, { recursive: true });
}

/**
 * Gives the copy a `node_modules` of hard links: a link to the folder would lead out of the copy, and
 * Turbopack follows none that does.
 *
 * @param {string} folder
 */
export function sharePackages(folder) {
  const [from, to] = ["node_modules", join(folder, "node_modules")];
  const installed = ".package-lock.json";
  const stamp = join(to, installed);
  const text = readFileSync(join(from, installed), "utf8");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === text) return;
  rmSync(to, { recursive: true, force: true });
  linkFolder(from, to, (name) => name !== installed);
  // Last, so that a copy that was interrupted is made again.
  copyFileSync(join(from, installed), stamp);
}

/**
 * @param {string} from
 * @param {string} to
 * @param {(name: string) => boolean} [wanted]
 */
function linkFolder(from, to, wanted = () => true) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (!wanted(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkFolder(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else linkOrCopy(source, target);
  }
}

/**
 * @param {string} source
 * @param {string} target
 */
function linkOrCopy(source, target) {
  try {
    linkSync(source, target);
  } catch {
    // Another disk, or one that knows no hard links.
    copyFileSync(source, target);
  }
}
