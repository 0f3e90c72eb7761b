import { createRequire } from "node:module";

/** As package.json asks for it, in "engines" and "peerDependencies". */
const oldestNode = "22.13";
const oldestNext = "15.4";

/**
 * Ends a server on a Node that is too old, with a sentence: otherwise it would end in the database
 * without a word.
 */
export function refuseOldNode(version = process.versions.node): void {
  if (isAtLeast(version, oldestNode)) return;
  process.stderr.write(
    `@signpost/sentry needs Node ${oldestNode} or newer, and this is Node ${version}: install a newer one from https://nodejs.org.\n`,
  );
  process.exit(1);
}

/** What is wrong with a version of Next. npm refuses such an installation; not every package manager does. */
export function nextFault(version: string): string | undefined {
  if (isAtLeast(version, oldestNext)) return undefined;
  return `@signpost/sentry needs Next ${oldestNext} or newer, and this is Next ${version}.`;
}

/** Of the Next that this package is installed beside. */
export function nextVersion(): string {
  return createRequire(import.meta.url)("next/package.json").version;
}

/**
 * @param version such as "16.0.11"
 * @param oldest that will do, such as "15.4"
 */
export function isAtLeast(version: string, oldest: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split(".").map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}
