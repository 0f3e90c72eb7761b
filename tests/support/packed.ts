import { execFileSync } from "node:child_process";

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
  const args = ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder];
  return Object.fromEntries(
    packages.map((name) => {
      const said = execFileSync("npm", args, { cwd: `packages/${name}`, encoding: "utf8" });
      return [`@signpost/${name}`, said.trim().split("\n").at(-1) ?? ""];
    }),
  );
}
