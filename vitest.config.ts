import { availableParallelism } from "node:os";
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { withNames } from "./packages/sentry/names-of-sdk.js";

/** The packages' sources, in place of what they are compiled to. */
const relay = join(import.meta.dirname, "packages/relay/src");
const source = join(import.meta.dirname, "packages/sentry/src");
const inbox = join(import.meta.dirname, "packages/inbox");
const aliases = (half: "browser" | "server") => [
  { find: /^@signpost\/relay$/, replacement: join(relay, "index.ts") },
  { find: /^@signpost\/relay\/(.+)$/, replacement: join(relay, "$1.ts") },
  { find: /^@signpost\/inbox$/, replacement: join(inbox, "src/index.ts") },
  { find: /^@signpost\/sentry$/, replacement: join(source, `index.${half}.ts`) },
  { find: /^@signpost\/sentry\/(.+)$/, replacement: join(source, "$1.ts") },
  { find: /^@\//, replacement: `${import.meta.dirname}/` },
];
const alias = aliases("server");

/** Milliseconds that a condition is waited for: enough for a busy machine. No test asserts how long. */
const expect = { poll: { timeout: 30_000 } };

/** What runs on both engines of the outbox, or beside what does. */
const onDatabases = [
  "packages/relay/tests/outbox",
  "packages/relay/tests/delivery",
  "packages/inbox/tests/unit/contract",
].map((folder) => `${folder}/**/*.test.ts`);

/** What takes many seconds: `npm run slow-unit` runs it, in `npm run verify`. */
const slow = ["scripts/type-checks", "lint/regular-expressions"]
  .map((name) => `tests/unit/${name}.test.ts`)
  .concat(
    "packages/sentry/tests/unit/config/source-maps.test.ts",
    ["backup", "kill", "shared-pages", "upgrade"].map(
      (name) => `packages/inbox/tests/unit/contract/${name}.test.ts`,
    ),
    [
      ...["delivery/failing-service", "delivery/outgoing-proxies", "delivery/failing-outbox"],
      ...["delivery/limited-service", "delivery/service-answers", "delivery/several-processes"],
      ...["outbox/postgres-driver", "outbox/sqlite-driver"],
    ].map((name) => `packages/relay/tests/${name}.test.ts`),
  );

/** What takes minutes begins first, so that nothing waits for it alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => /(created-app|memory)\.test/.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** As the browser is imitated, Vite gives the outbox's thread a URL that Node can't run. */
const threadsAsFiles: Plugin = {
  name: "threads-as-files",
  enforce: "pre",
  transform: (code) =>
    code.replace(
      'new URL("./sqlite-thread.ts", import.meta.url)',
      JSON.stringify(join(import.meta.dirname, "packages/relay/src/outbox/sqlite-thread.ts")),
    ),
};

/** As build.js does: Node sees few of the names that a CommonJS module has. */
const namesOfSdk: Plugin = {
  name: "names-of-sdk",
  enforce: "pre",
  transform: (code, id) =>
    id.endsWith("packages/sentry/src/index.server.ts") ? withNames(code) : undefined,
};

export default defineConfig({
  test: {
    // Many tests wait, for a database or a service: as many workers as processors leave some idle.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        plugins: [namesOfSdk],
        resolve: { alias },
        test: {
          name: "unit",
          include: [
            "{tests/unit,tests/contracts,packages/relay/tests,packages/{create,inbox,sentry}/tests/unit}/**/*.test.ts",
          ],
          exclude: [...onDatabases, ...slow],
          environment: "node",
          testTimeout: 60_000,
          expect,
        },
      },
      {
        plugins: [namesOfSdk],
        resolve: { alias },
        test: {
          name: "outbox",
          include: onDatabases,
          exclude: slow,
          environment: "node",
          globalSetup: ["tests/support/shared-postgres.ts"],
          testTimeout: 60_000,
          expect,
        },
      },
      {
        plugins: [namesOfSdk],
        resolve: { alias },
        test: {
          name: "verify",
          include: [
            "tests/verify/**/*.test.ts",
            "packages/{create,inbox}/tests/verify/**/*.test.ts",
            ...slow,
          ],
          environment: "node",
          globalSetup: ["tests/support/shared-postgres.ts"],
          testTimeout: 300_000,
          expect,
        },
      },
      {
        plugins: [namesOfSdk],
        resolve: { alias },
        // Strangers against servers of the default build.
        test: {
          name: "abuse",
          include: ["tests/abuse/**/*.test.ts"],
          environment: "node",
          globalSetup: ["tests/support/shared-postgres.ts", "tests/abuse/default-build.ts"],
          testTimeout: 120_000,
          expect,
        },
      },
      {
        plugins: [react(), threadsAsFiles, namesOfSdk],
        resolve: { alias: aliases("browser") },
        test: {
          name: "components",
          // Each file loads jsdom anew, which takes longer than most of its tests: less so in a thread.
          pool: "threads",
          include: [
            "tests/components/**/*.test.tsx",
            "packages/sentry/tests/components/**/*.test.tsx",
            "packages/inbox/tests/pages/**/*.test.tsx",
          ],
          environment: "jsdom",
          setupFiles: ["tests/support/components.ts"],
          testTimeout: 60_000,
          expect,
        },
      },
    ],
  },
});
