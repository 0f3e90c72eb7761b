import { execSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/**
 * Chromium for the end-to-end tests: CHROMIUM_PATH, else the system's, else Playwright's own, which is
 * installed where it is missing.
 *
 * @returns absolute path
 */
export function findBrowser(): string {
  const { CHROMIUM_PATH, PATH = "" } = process.env;
  if (CHROMIUM_PATH) return CHROMIUM_PATH;
  const own = chromium.executablePath();
  const systems = PATH.split(delimiter).flatMap((folder) =>
    names.map((name) => join(folder, name)),
  );
  const mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  const found = [...systems, mac, own].find((path) => existsSync(path));
  if (!found) execSync("npx playwright install --with-deps chromium", { stdio: "inherit" });
  return found ?? own;
}
