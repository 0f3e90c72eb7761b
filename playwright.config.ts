import { defineConfig } from "playwright/test";
import type { AppOptions } from "./tests/support/app";
import { findBrowser } from "./tests/support/browser.ts";

const verify = /@verify\b/;
const shell = /@(only-)?shell\b/;
const onlyShell = /@only-shell\b/;

/** What runs on the app's own pages. */
const own = "**/e2e/own/**/*.spec.ts";

/** What depends on the browser, so that every engine has to show it. */
const browserSpecs = [
  "back-forward-cache",
  "browser-reporting",
  "engines",
  "error-view",
  "feedback",
  "hash",
  "late-parts",
  "locales",
  "navigation-*",
  "policy-violations",
  "titles",
  "without-javascript",
].map((name) => `**/e2e/${name}.spec.ts`);

const launchOptions = {
  executablePath: findBrowser(),
  args: [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};

export default defineConfig<object, AppOptions>({
  testDir: "tests/e2e",
  fullyParallel: true,
  // Many tests wait, most of all for the SDK: as many workers as processors leave them half idle.
  workers: 4,
  retries: 0,
  // A busy machine is slow, not wrong.
  timeout: 120_000,
  expect: { timeout: 10_000 },
  forbidOnly: true,
  reporter: [["list"]],
  // There are three builds: see tests/support/variants.ts. Tests in e2e/own run on the build of the project
  // as it is, all others on pages of their own. These run on the default build, unless they are tagged
  // otherwise. The shell build differs from it by a base path, a deployment id and the standalone
  // output:
  //   @shell       runs on the shell build too: for what that difference can change
  //   @only-shell  runs on the shell build alone
  //   @verify      runs by `npm run verify` alone: worth running, but slow
  // What depends on the browser, `npm run verify` also runs in Firefox and WebKit, where Playwright has
  // installed them.
  projects: [
    { name: "own", use: { variant: "own", launchOptions }, testMatch: own, grepInvert: verify },
    { name: "default", use: { launchOptions }, testIgnore: own, grepInvert: [verify, onlyShell] },
    {
      name: "shell",
      use: { variant: "shell", launchOptions },
      testIgnore: own,
      grep: shell,
      grepInvert: verify,
    },
    { name: "own-verify", use: { variant: "own", launchOptions }, testMatch: own, grep: verify },
    {
      name: "default-verify",
      use: { launchOptions },
      testIgnore: own,
      grep: verify,
      grepInvert: onlyShell,
    },
    {
      name: "shell-verify",
      use: { variant: "shell", launchOptions },
      testIgnore: own,
      grep: /^(?=.*@verify\b).*@(only-)?shell\b/s,
    },
    { name: "firefox", use: { browserName: "firefox" }, testMatch: browserSpecs },
    { name: "webkit", use: { browserName: "webkit" }, testMatch: browserSpecs },
  ],
});
