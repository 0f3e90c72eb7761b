import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** By package: its tarball, which is made once for all apps of a process. */
const tarballs = new Map<string, { file: string; bytes: Buffer }>();

/**
 * Packs packages as they are compiled: until they are published, each is installed as a tarball.
 *
 * @param packages by default `@signpost/sentry`, and what it needs
 * @returns the tarballs in the folder, by the packages' names
 */
export function packPackages(
  folder: string,
  packages = ["relay", "sentry"],
): Record<string, string> {
  return Object.fromEntries(
    packages.map((name) => {
      const { file, bytes } = tarballs.get(name) ?? pack(name, folder);
      writeFileSync(join(folder, file), bytes);
      return [`@signpost/${name}`, file];
    }),
  );
}

function pack(name: string, folder: string) {
  const args = ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder];
  const said = execFileSync("npm", args, { cwd: `packages/${name}`, encoding: "utf8" });
  const file = said.trim().split("\n").at(-1) ?? "";
  const tarball = { file, bytes: readFileSync(join(folder, file)) };
  tarballs.set(name, tarball);
  return tarball;
}
