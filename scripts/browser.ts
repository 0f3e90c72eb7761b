import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const commands = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
];

interface Machine {
  env: Record<string, string | undefined>;
  platform: NodeJS.Platform;
  exists: (path: string) => boolean;
}

export const thisMachine: Machine = {
  env: process.env,
  platform: process.platform,
  exists: existsSync,
};

/**
 * The paths where Chromium or Chrome may be installed, the likeliest first.
 *
 * @returns absolute paths
 */
function usualPlaces({ env, platform }: Machine): string[] {
  if (platform === "win32") {
    const roots = [env.PROGRAMFILES, env["PROGRAMFILES(X86)"], env.LOCALAPPDATA];
    return roots.flatMap((root) =>
      root
        ? [
            `${root}\\Google\\Chrome\\Application\\chrome.exe`,
            `${root}\\Chromium\\Application\\chrome.exe`,
          ]
        : [],
    );
  }
  const onPath = (env.PATH ?? "").split(delimiter).filter(Boolean);
  const places = commands.flatMap((command) => onPath.map((folder) => join(folder, command)));
  if (platform === "darwin") {
    for (const root of ["/Applications", join(env.HOME ?? "", "Applications")]) {
      for (const name of ["Google Chrome", "Chromium"]) {
        places.push(`${root}/${name}.app/Contents/MacOS/${name}`);
      }
    }
    return places;
  }
  const folders = ["/usr/bin", "/usr/local/bin", "/snap/bin", "/opt/google/chrome"];
  return [...places, ...commands.flatMap((command) => folders.map((at) => `${at}/${command}`))];
}

/**
 * Finds the browser for the end-to-end tests: CHROMIUM_PATH, else the system's, else Playwright's.
 *
 * @param playwrights the path of Playwright's own Chromium, installed or not
 * @returns absolute path
 * @throws {Error} if CHROMIUM_PATH names no file
 */
export function findBrowser(machine: Machine, playwrights: string): string | undefined {
  const { env, exists } = machine;
  if (env.CHROMIUM_PATH) {
    if (exists(env.CHROMIUM_PATH)) return env.CHROMIUM_PATH;
    throw new Error(
      `CHROMIUM_PATH is ${JSON.stringify(env.CHROMIUM_PATH)}: no such file, for example CHROMIUM_PATH=/usr/bin/chromium`,
    );
  }
  return [...usualPlaces(machine), playwrights].find((path) => exists(path));
}
