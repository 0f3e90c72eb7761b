import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium, firefox, webkit } from "playwright";
import { isInterrupted, run } from "./run.ts";
import { findWebKit } from "./webkit.ts";

interface Machine {
  env: Record<string, string | undefined>;
  platform: NodeJS.Platform;
  exists: (path: string) => boolean;
}

const thisMachine: Machine = { env: process.env, platform: process.platform, exists: existsSync };

const commands = "chromium chromium-browser google-chrome google-chrome-stable chrome".split(" ");

/** @returns absolute paths where Chromium or Chrome may be installed, the likeliest first */
function usualPlaces({ env, platform }: Machine): string[] {
  if (platform === "win32") {
    return [env.PROGRAMFILES, env["PROGRAMFILES(X86)"], env.LOCALAPPDATA].flatMap((root) =>
      ["Google\\Chrome", "Chromium"].map((name) => `${root}\\${name}\\Application\\chrome.exe`),
    );
  }
  const usual = ["/usr/bin", "/usr/local/bin", "/snap/bin", "/opt/google/chrome"];
  const folders = [...(env.PATH ?? "").split(delimiter).filter(Boolean), ...usual];
  const apps = ["/Applications", join(env.HOME ?? "", "Applications")].flatMap((root) =>
    ["Google Chrome", "Chromium"].map((name) => `${root}/${name}.app/Contents/MacOS/${name}`),
  );
  return [...commands.flatMap((command) => folders.map((at) => join(at, command))), ...apps];
}

/**
 * Finds the browser for the end-to-end tests: CHROMIUM_PATH, else the system's, else Playwright's.
 *
 * @param playwrights the path of Playwright's own Chromium, installed or not
 * @returns absolute path
 * @throws {Error} if CHROMIUM_PATH names no file
 */
export function findBrowser(
  machine = thisMachine,
  playwrights = chromium.executablePath(),
): string | undefined {
  const { env, exists } = machine;
  if (env.CHROMIUM_PATH) {
    if (exists(env.CHROMIUM_PATH)) return env.CHROMIUM_PATH;
    throw new Error(
      `CHROMIUM_PATH is ${JSON.stringify(env.CHROMIUM_PATH)}: no such file, for example CHROMIUM_PATH=/usr/bin/chromium`,
    );
  }
  return [...usualPlaces(machine), playwrights].find((path) => exists(path));
}

/** @returns whose is installed: Playwright's own, else Debian's (firefox-esr; webkit2gtk-driver and xvfb) */
export function findOtherBrowser(name: "firefox" | "webkit"): "playwright" | "debian" | undefined {
  const type = { firefox, webkit }[name];
  if (existsSync(type.executablePath())) return "playwright";
  const hasDebians = name === "firefox" ? existsSync("/usr/bin/firefox-esr") : findWebKit();
  return hasDebians ? "debian" : undefined;
}

/**
 * Finds the browser for the end-to-end tests. Where there is none, installs Playwright's, else the
 * package of Debian or Ubuntu, if that needs no password.
 *
 * @returns absolute path; if undefined, the commands to install one have been printed
 */
export async function ensureBrowser(): Promise<string | undefined> {
  const found = findBrowser();
  if (found) return found;
  console.log("No Chromium or Chrome found: installing one …");
  await run("npx", ["playwright", "install", "--with-deps", "chromium"]);
  if (!findBrowser() && existsSync("/usr/bin/apt-get")) {
    const apt = process.getuid?.() === 0 ? "apt-get" : "sudo -n apt-get";
    const script = `${apt} update && ${apt} install -y chromium`;
    await run("sh", ["-c", script], { DEBIAN_FRONTEND: "noninteractive" });
  }
  const installed = findBrowser();
  if (!installed && !isInterrupted()) {
    console.error(
      [
        "No browser could be installed. Install Chromium or Chrome by hand, for example with one of",
        "  npx playwright install --with-deps chromium",
        "  sudo apt-get install chromium          (Debian)",
        "  sudo snap install chromium             (Ubuntu)",
        "  sudo dnf install chromium              (Fedora)",
        "  brew install --cask chromium           (macOS)",
        "or name an installed one: CHROMIUM_PATH=/path/to/chrome npm test",
      ].join("\n"),
    );
  }
  return installed;
}
