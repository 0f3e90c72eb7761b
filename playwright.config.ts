import { chromium, defineConfig } from "playwright/test";
import { findBrowser, thisMachine } from "./scripts/browser.js";
import type { AppOptions } from "./tests/support/app";

export default defineConfig<object, AppOptions>({
  testDir: "tests/e2e",
  fullyParallel: true,
  workers: 2,
  retries: 0,
  forbidOnly: true,
  reporter: [["list"]],
  projects: [
    { name: "default", use: { variant: "default" } },
    { name: "shell", use: { variant: "shell" } },
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
