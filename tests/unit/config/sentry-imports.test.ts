import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkSentryImports, sentryFaults } from "@/lib/config/sentry-imports";

describe("an import of Sentry's packages", () => {
  test.each([
    'import * as Sentry from "@sentry/nextjs";',
    'import { captureException } from "@sentry/browser";',
    "import {\n  ErrorBoundary,\n  type ErrorBoundaryProps,\n} from '@sentry/react';",
    'import "@sentry/nextjs";',
    'export * from "@sentry/core";',
    'const Sentry = await import("@sentry/nextjs");',
    'const Sentry = require("@sentry/nextjs");',
  ])("%s is refused with a sentence that names lib/sentry", (line) => {
    const name = /@sentry\/\w+/.exec(line)?.[0];
    expect(sentryFaults({ "pages/a.tsx": `const a = 1;\n${line}\n` })).toEqual([
      `pages/a.tsx imports ${name}: write import * as Sentry from "@/lib/sentry", which has the same functions and also works before the SDK is loaded. See docs/sentry.md.`,
    ]);
  });

  test.each([
    ["pages/a.tsx", 'import type { Scope } from "@sentry/nextjs";'],
    ["pages/a.tsx", '// import * as Sentry from "@sentry/nextjs";'],
    ["pages/a.tsx", 'import * as Sentry from "@/lib/sentry";'],
    ["lib/reporting/server/reporter.ts", 'import { captureException } from "@sentry/nextjs";'],
    ["sentry.client.config.ts", 'import { replayIntegration } from "@sentry/browser";'],
  ])("in %s, %s is not", (file, line) => {
    expect(sentryFaults({ [file]: line })).toEqual([]);
  });
});

test.each(["instrumentation-client.ts", "sentry.client.config.ts", "pages/a.tsx"])(
  "a second init in %s is refused",
  (file) => {
    expect(sentryFaults({ [file]: "Sentry.init({ dsn });" })).toEqual([
      `${file} calls Sentry.init, which would replace the client that Signpost starts: put the options into sentry.client.config.ts or sentry.server.config.ts. See docs/sentry.md.`,
    ]);
  },
);

test("the build stops at them, and this app has none", () => {
  expect(() => checkSentryImports(".")).not.toThrow();
  const root = mkdtempSync(join(tmpdir(), "signpost-sentry-"));
  try {
    mkdirSync(join(root, "pages/deep"), { recursive: true });
    writeFileSync(join(root, "pages/deep/a.tsx"), 'import { init } from "@sentry/nextjs";');
    expect(() => checkSentryImports(root)).toThrow(
      "pages/deep/a.tsx imports @sentry/nextjs: write",
    );
  } finally {
    rmSync(root, { recursive: true });
  }
});
