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
    // The commands serve the ordinary build only.
    { name: "shell", use: { variant: "shell" }, testIgnore: "**/start.spec.ts" },
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
