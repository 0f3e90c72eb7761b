import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "./processes.ts";

/** Why a service can't run here. */
export class Unavailable extends Error {}

/** Where the services are installed, once for all runs. */
const cache = join(tmpdir(), "signpost-services");

/**
 * Installs packages from PyPI into a virtual environment of their own, unless they are there.
 *
 * @param packages with versions, such as `bugsink==2.6.1`
 * @returns the folder of its programs
 * @throws {Unavailable} without Python, pip or the packages
 */
export function fromPypi(...packages: string[]): string {
  const folder = join(cache, packages.join("+").replaceAll("==", "-"));
  install(folder, () => {
    const { status } = spawnSync("python3", ["-m", "venv", folder]);
    if (status !== 0) throw new Unavailable("there is no Python 3 with venv and pip");
    runProgram(join(folder, "bin/pip"), ["install", "--quiet", ...packages]);
  });
  return join(folder, "bin");
}

/** Installs packages from npm beside each other, unless they are there. @returns their folder */
export function fromNpm(...packages: string[]): string {
  const folder = join(cache, packages.join("+").replaceAll(/[@/]/g, "-"));
  install(folder, () => {
    writeFileSync(join(folder, "package.json"), "{}\n");
    const quiet = ["--no-audit", "--no-fund", "--silent", "--ignore-scripts"];
    runProgram("npm", ["install", ...quiet, ...packages], { cwd: folder });
  });
  return join(folder, "node_modules");
}

function install(folder: string, make: () => void): void {
  const stamp = join(folder, "installed");
  if (existsSync(stamp)) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    make();
  } catch (cause) {
    if (cause instanceof Unavailable) throw cause;
    const reason = String(cause).trim().split("\n").at(-1);
    throw new Unavailable(`it can't be installed: ${reason}`, { cause });
  }
  writeFileSync(stamp, "");
}
