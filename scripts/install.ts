import { existsSync, readFileSync } from "node:fs";
import { npm } from "./run.ts";

type LockedPackage = {
  version?: string;
  integrity?: string;
  optional?: boolean;
  link?: boolean;
};

type Lockfile = { packages?: Record<string, LockedPackage> };

/**
 * Whether the installed packages differ from those in the lockfile. This compares contents, because
 * git sets a file's time to that of the checkout. Packages for other platforms may be missing.
 *
 * @param wanted package-lock.json
 * @param installed node_modules/.package-lock.json, which npm writes at the end
 */
export function installIsStale(wanted: Lockfile, installed: Lockfile | undefined) {
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

function readLockfile(path: string): Lockfile | undefined {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}

/**
 * Installs the packages of the lockfile in the current folder, unless they are installed.
 *
 * @returns npm's exit code, 0 if there was nothing to do
 */
export async function installIfStale(): Promise<number> {
  const wanted = readLockfile("package-lock.json");
  if (!wanted) throw new Error("package-lock.json is missing, so it is unknown what to install");
  if (!installIsStale(wanted, readLockfile("node_modules/.package-lock.json"))) return 0;
  console.log("Installing the packages in package-lock.json …");
  return npm(["ci", "--include=dev", "--no-audit", "--no-fund"]);
}
