import { resolve } from "node:path";
import { defineConfig } from "playwright/test";
import type { AppOptions } from "./tests/support/app";
import { findBrowser, findOtherBrowser } from "./tests/support/browser.ts";
import type { Variant } from "./tests/support/server";

const verify = /@verify\b/;
const shell = /@(only-)?shell\b/;
const onlyShell = /@only-shell\b/;
const promises = /@promises\b/;

/** What runs on the app's own pages. */
const own = "**/e2e/own/**/*.spec.ts";

/** The builds that are made last for `npm run verify`. */
const last: Variant[] = ["shell", "companions"];

/** Small apps of other versions and package managers, none of which needs a build of this project. */
const reach = "**/e2e/takeover/reach.spec.ts";

/** What WebKitGTK has to show, which Playwright can't drive. */
const webkit = "**/e2e/webkit.spec.ts";

/** What runs on the app with what a team brings. */
const companions = "**/e2e/companions.spec.ts";

/** What takes minutes in one worker, since it builds or compiles: it begins first, so that nothing waits for it alone at the end. */
const long = ["takeover/*", "calls", "development", "promises", "start"].map(
  (name) => `**/e2e/${name}.spec.ts`,
);

/** What depends on the browser, so that every engine has to show it. */
const browserSpecs = specs([
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
]);

/**
 * What Playwright 1.65 turns off itself on Linux (`chromiumSwitches`), since Chromium heeds the last list alone; and the address bar's
 * suggestions, which are two web pages of Chromium's own for each page that a test opens: they take half
 * of the processor's time.
 */
const disabledFeatures = [
  ...["AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"],
  ...["HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding"],
  ...["ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints"],
  ...["NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"],
  ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"],
];

const launchOptions = {
  executablePath: findBrowser(),
  args: [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    `--disable-features=${disabledFeatures.join()}`,
  ],
};

/** What Debian's packages can do in place of Playwright's own browsers. */
const debians = {
  firefox: {
    testMatch: specs(["browser-reporting", "engines", "hash"]),
    use: {
      browserName: "firefox" as const,
      channel: "moz-firefox",
      launchOptions: {
        executablePath: resolve("tests/support/firefox.ts"),
        // Playwright waits in vain for a page out of the back/forward cache to load.
        firefoxUserPrefs: { "browser.sessionhistory.max_total_viewers": 0 },
      },
    },
  },
  webkit: { use: {}, testMatch: webkit },
};

export default defineConfig<object, AppOptions>({
  testDir: "tests/e2e",
  fullyParallel: true,
  // Many tests wait, most of all for the SDK: as many workers as processors leave them half idle.
  workers: 4,
  retries: 0,
  // A busy machine is slow, not wrong.
  timeout: 300_000,
  expect: { timeout: 30_000, toPass: { timeout: 60_000 } },
  forbidOnly: true,
  reporter: [["list"]],
  // There are four builds: see tests/support/variants.ts. Tests in e2e/own run on the build of the project
  // as it is, all others on pages of their own. These run on the default build, unless they are tagged
  // otherwise. The shell build differs from it by a base path, a deployment id and the standalone
  // output: `npm run verify` makes it.
  //   @shell       runs on the shell build too: for what that difference can change
  //   @only-shell  runs on the shell build alone
  //   @verify      runs by `npm run verify` alone: `npm test` has each promise once
  //   @promises    runs by `npm run promises` alone: what a new version of Next may change
  // What depends on the browser, `npm run verify` also runs in Firefox and WebKit, where they are installed.
  projects: [
    // In turn, so that the second has what Turbopack has compiled for the first, and the others too.
    build("own"),
    { ...build("default"), dependencies: ["build-own"] },
    { ...build("shell"), dependencies: ["build-default"] },
    { ...build("companions"), dependencies: ["build-default"] },
    { ...on("own", ["default"]), name: "own", testMatch: own, grepInvert: verify },
    {
      ...on("default"),
      name: "default",
      testIgnore: [own, reach, webkit],
      grepInvert: [verify, onlyShell, promises],
    },
    // All wait for the last builds: some have time limits, which a build beside them would break.
    {
      ...on("default", last),
      name: "long-verify",
      testMatch: long,
      testIgnore: reach,
      grep: verify,
    },
    {
      name: "reach",
      use: { launchOptions },
      testMatch: reach,
      dependencies: last.map((variant) => `build-${variant}`),
    },
    { ...on("own", last), name: "own-verify", testMatch: own, grep: verify },
    { ...on("companions", last), name: "companions-verify", testMatch: companions, grep: verify },
    {
      ...on("default", last),
      name: "default-verify",
      testIgnore: [own, reach, webkit, companions, ...long],
      grep: verify,
      grepInvert: onlyShell,
    },
    {
      ...on("shell", last),
      name: "shell",
      testIgnore: [own, reach, webkit],
      grep: shell,
    },
    { ...on("default"), name: "promises", testMatch: "**/e2e/promises.spec.ts" },
    // Makes builds of its own.
    { name: "calls", testMatch: "**/e2e/calls.spec.ts" },
    ...(["firefox", "webkit"] as const).map((browserName) => ({
      name: browserName,
      use: { browserName },
      testMatch: browserSpecs,
      dependencies: ["build-default"],
      ...(findOtherBrowser(browserName) === "debian" && debians[browserName]),
    })),
  ],
});

function specs(names: string[]) {
  return names.map((name) => `**/e2e/${name}.spec.ts`);
}

/** Makes the build that other projects run on, unless it is there. */
function build(variant: Variant) {
  return { name: `build-${variant}`, use: { variant }, testMatch: "**/build.setup.ts" };
}

/** Chromium, on a build. Waits for the last builds. */
function on(variant: Variant, lastBuilds = [variant]) {
  const dependencies = lastBuilds.map((name) => `build-${name}`);
  return { use: { variant, launchOptions }, dependencies };
}
