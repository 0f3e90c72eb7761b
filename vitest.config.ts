import { availableParallelism } from "node:os";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const alias = { "@": import.meta.dirname };

/** Milliseconds that a condition is waited for: enough for a busy machine. No test asserts how long. */
const expect = { poll: { timeout: 10_000 } };

/** What runs on both engines of the outbox, or beside what does. */
const onDatabases = ["outbox", "delivery", "inbox/contract"].map(
  (folder) => `tests/unit/${folder}/**/*.test.ts`,
);

export default defineConfig({
  test: {
    // Many tests wait, for a database or a service: as many workers as processors leave some idle.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    projects: [
      {
        resolve: { alias },
        test: {
          name: "unit",
          include: ["tests/unit/**/*.test.ts", "tests/contracts/**/*.test.ts"],
          exclude: onDatabases,
          environment: "node",
          testTimeout: 20_000,
          expect,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "outbox",
          include: onDatabases,
          environment: "node",
          globalSetup: ["tests/support/shared-postgres.ts"],
          testTimeout: 20_000,
          expect,
        },
      },
      {
        resolve: { alias },
        // What takes minutes: `npm run verify` runs it, `npm run unit` does not.
        test: {
          name: "verify",
          include: ["tests/verify/**/*.test.ts"],
          environment: "node",
          testTimeout: 300_000,
          expect,
        },
      },
      {
        resolve: { alias },
        // Strangers against servers of the default build, which must be there.
        test: {
          name: "abuse",
          include: ["tests/abuse/**/*.test.ts"],
          environment: "node",
          globalSetup: ["tests/support/shared-postgres.ts"],
          testTimeout: 120_000,
          expect,
        },
      },
      {
        plugins: [react()],
        resolve: { alias },
        test: {
          name: "components",
          include: ["tests/components/**/*.test.tsx"],
          environment: "jsdom",
          setupFiles: ["tests/support/components.ts"],
          testTimeout: 20_000,
          expect,
        },
      },
    ],
  },
});
