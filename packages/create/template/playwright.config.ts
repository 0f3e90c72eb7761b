import { defineConfig } from "playwright/test";
import { neededExamples } from "./lib/config";
import { findBrowser } from "./tests/support/browser";

/** The tests run on the build that is there: `npm run build` makes it. */
export default defineConfig({
  testDir: "tests/e2e",
  fullyParallel: true,
  workers: 2,
  // A busy machine is slow, not wrong.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  forbidOnly: true,
  reporter: [["list"]],
  use: { launchOptions: { executablePath: findBrowser() } },
  webServer: {
    // Any free port. The tests find it in their environment, by the name of the group: tests/support/app.ts.
    command: "next start -p 0",
    wait: { stdout: /http:\/\/localhost:(?<app_port>\d+)/ },
    env: {
      ...neededExamples(),
      DATA_DIR: "test-results/data",
      INBOX_TOKEN: "token-of-the-tests",
    },
    gracefulShutdown: { signal: "SIGTERM", timeout: 10_000 },
  },
});
