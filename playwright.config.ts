import { chromium, defineConfig } from "playwright/test";
import { findBrowser, thisMachine } from "./scripts/browser.js";
import type { AppOptions } from "./tests/support/app";

export default defineConfig<object, AppOptions>({
  testDir: "tests/e2e",
  fullyParallel: true,
  workers: 2,
  retries: 0,
  timeout: 60_000,
  // A busy machine of two cores is slow, not wrong.
  expect: { timeout: 10_000 },
  forbidOnly: true,
  reporter: [["list"]],
  projects: [
    { name: "default", use: { variant: "default" } },
    {
      name: "shell",
      use: { variant: "shell" },
      // The commands serve the ordinary build only. What the browser reports is the same in both:
      // that it gets there under a base path, the specs of navigation and errors show.
      testIgnore: ["**/start.spec.ts", "**/browser-reporting.spec.ts"],
    },
  ],
  use: {
    launchOptions: {
      executablePath: findBrowser(thisMachine, chromium.executablePath()),
      args: [
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
