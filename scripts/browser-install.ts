import { chromium } from "playwright";
import { findBrowser, thisMachine } from "./browser.ts";
import { isInterrupted, npm, run } from "./run.ts";

/**
 * Finds the browser for the end-to-end tests, and installs one if there is none.
 *
 * @returns absolute path; if undefined, the commands to install one have been printed
 */
export async function ensureBrowser(): Promise<string | undefined> {
  const find = () => findBrowser(thisMachine, chromium.executablePath());
  const found = find();
  if (found) return found;
  console.log("No Chromium or Chrome found: installing one …");
  await npm(["exec", "--", "playwright", "install", "--with-deps", "chromium"]);
  if (!find() && !isInterrupted()) await installFromDistribution();
  const installed = find();
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

/** Installs the package of Debian or Ubuntu, if that needs no password. */
async function installFromDistribution() {
  if (!thisMachine.exists("/usr/bin/apt-get")) return;
  const asRoot = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  if (asRoot.length > 0 && !thisMachine.exists("/usr/bin/sudo")) return;
  for (const args of [["update"], ["install", "-y", "chromium"]]) {
    const [command = "", ...rest] = [...asRoot, "apt-get", ...args];
    if ((await run(command, rest, { DEBIAN_FRONTEND: "noninteractive" })) !== 0) return;
  }
}
