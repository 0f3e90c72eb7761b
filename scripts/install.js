import { existsSync, readFileSync } from "node:fs";
import { npm } from "./run.js";

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, link?: boolean }} LockedPackage
 * @typedef {{ packages?: Record<string, LockedPackage> }} Lockfile
 */

/**
 * Whether what is installed differs from what the lockfile wants. Contents are compared, not times:
 * git gives a file the time of its checkout. A package for another platform may be absent.
 *
 * @param {Lockfile} wanted package-lock.json
 * @param {Lockfile | undefined} installed node_modules/.package-lock.json, which npm writes last
 */
export function installIsStale(wanted, installed) {
  if (!installed?.packages) return true;
  const there = new Map(Object.entries(installed.packages));
  for (const [path, entry] of Object.entries(wanted.packages ?? {})) {
    if (path === "") continue;
    const found = there.get(path);
    there.delete(path);
    if (!found && entry.optional) continue;
    if (found?.version !== entry.version || found?.integrity !== entry.integrity) return true;
  }
  return there.size > 0;
}

/**
 * @param {string} path
 * @returns {Lockfile | undefined}
 */
function readLockfile(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}

/**
 * Brings node_modules to what the lockfile says, in the current folder, if it is not there already.
 *
 * @returns {Promise<number>} npm's exit code, 0 where there was nothing to do
 */
export async function installIfStale() {
  const wanted = readLockfile("package-lock.json");
  if (!wanted) throw new Error("package-lock.json is missing: it says what to install");
  if (!installIsStale(wanted, readLockfile("node_modules/.package-lock.json"))) return 0;
  console.log("Installing the packages in package-lock.json …");
  return npm(["ci", "--include=dev", "--no-audit", "--no-fund"]);
}
