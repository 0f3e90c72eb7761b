import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { lostCalls } from "@/lib/build/reporting-calls";
import {
  checkSentryImports,
  hasTracesSampler,
  sentryFaults,
  sentryFaultsIn,
} from "@/lib/build/sentry-imports";
import { temporaryFolder } from "@/tests/support/folders";

const imports = 'import * as Sentry from "@sentry/nextjs";';

describe("an import of Sentry's packages", () => {
  test.each([
    'import * as Sentry from "@sentry/nextjs";',
    'import { captureException } from "@sentry/browser";',
    "import {\n  ErrorBoundary,\n  type ErrorBoundaryProps,\n} from '@sentry/react';",
    'import "@sentry/nextjs";',
    'export * from "@sentry/core";',
    'import { captureException } from "@sentry/core/browser";',
    'const Sentry = await import("@sentry/nextjs");',
    'const Sentry = require("@sentry/nextjs");',
  ])("%s is refused with a sentence that names lib/sentry", (line) => {
    const name = /@sentry\/[\w/]+/.exec(line)?.[0];
    expect(sentryFaults({ "pages/a.tsx": `const a = 1;\n${line}\n` })).toEqual([
      `pages/a.tsx imports ${name}: write import * as Sentry from "@/lib/sentry", which has the same functions and also works before the SDK is loaded. See docs/sentry.md.`,
    ]);
  });

  test.each([
    ["pages/a.tsx", 'import type { Scope } from "@sentry/nextjs";'],
    ["pages/a.tsx", '// import * as Sentry from "@sentry/nextjs";'],
    ["pages/a.tsx", 'import * as Sentry from "@/lib/sentry";'],
    ["lib/sentry/server/reporter.ts", 'import { captureException } from "@sentry/nextjs";'],
    ["sentry.client.config.ts", 'import { replayIntegration } from "@sentry/browser";'],
    ["pages/api/orders.ts", "connect({ dsn: orders });"],
    ["sentry.server.config.ts", 'import { prismaIntegration } from "@sentry/nextjs";'],
  ])("in %s, %s is not", (file, line) => {
    expect(sentryFaults({ [file]: line })).toEqual([]);
  });
});

test.each(["@sentry/nextjs", "@sentry/react"])(
  "%s in sentry.client.config.ts, which has no integrations there, is refused with the package that has",
  (name) => {
    const source = `import * as Sentry from "${name}";\nSentry.replayIntegration();`;
    expect(sentryFaults({ "sentry.client.config.ts": source })).toEqual([
      `sentry.client.config.ts imports ${name}: write import * as Sentry from "@sentry/browser", which has the same integrations. See docs/sentry.md.`,
    ]);
  },
);

test.each(["instrumentation-client.ts", "sentry.client.config.ts", "pages/a.tsx"])(
  "a second init in %s is refused",
  (file) => {
    expect(sentryFaults({ [file]: "Sentry.init({ dsn });" })).toEqual([
      `${file} calls Sentry.init, which would replace the client that Signpost starts: put the options into sentry.client.config.ts or sentry.server.config.ts. See docs/sentry.md.`,
    ]);
  },
);

test.each([
  ["sentry.server.config.ts", 'import { init } from "@sentry/nextjs";\ninit({ dsn });'],
  ["sentry.client.config.ts", 'import { init as start } from "@sentry/browser";\nstart({ dsn });'],
  ["sentry.edge.config.ts", 'import * as S from "@sentry/nextjs";\nS.init({ dsn });'],
])("a second init by another name, in %s, is refused: %s", (file, source) => {
  expect(sentryFaults({ [file]: source })).toEqual([
    expect.stringContaining(`${file} calls Sentry.init, which would replace the client`),
  ]);
});

test.each([
  ["next.config.js", "withSentryConfig", "export default Sentry.withSentryConfig(config, {});"],
  ["next.config.js", "tunnelRoute", 'export default { tunnelRoute: "/monitoring" };'],
  [
    "instrumentation.ts",
    "captureRequestError",
    "export const onRequestError = Sentry.captureRequestError;",
  ],
  [
    "pages/_error.tsx",
    "captureUnderscoreErrorException",
    "await Sentry.captureUnderscoreErrorException(context);",
  ],
  [
    "instrumentation-client.ts",
    "captureRouterTransitionStart",
    "export const onRouterTransitionStart = Sentry.captureRouterTransitionStart;",
  ],
  [
    "pages/api/a.ts",
    "wrapApiHandlerWithSentry",
    'export default Sentry.wrapApiHandlerWithSentry(handler, "/api/a");',
  ],
  [
    "sentry.client.config.ts",
    "browserTracingIntegration",
    "export const options = { integrations: [Sentry.browserTracingIntegration()] };",
  ],
  ["sentry.client.config.ts", "dsn", 'export const options = { dsn: "https://key@o1.example/1" };'],
  [
    "sentry.server.config.ts",
    "tracesSampleRate",
    "export const options = { tracesSampleRate: 1 };",
  ],
  ["sentry.server.config.ts", "sendDefaultPii", "export const options = { sendDefaultPii: true };"],
  ["sentry.client.config.ts", "enableLogs", "export const options = { enableLogs: true };"],
])(
  "what Sentry's guide puts into %s, %s, gets one sentence that says what is here",
  (file, name, line) => {
    const source = `import * as Sentry from "@sentry/nextjs";\n${line}`;
    const faults = sentryFaults({ [file]: source });
    expect(faults).toEqual([expect.stringMatching(`^${file} uses ${name}: .* leave it out`)]);
  },
);

test.each([
  "proxy.ts",
  "middleware.js",
  "src/cart/pay.ts",
  "app/page.tsx",
  "features/deep/a.mjs",
  "pages/.well-known/a.tsx",
  "pages/deep/a.tsx",
])("the build stops at an import in %s", (file) => {
  const root = temporaryFolder({ [file]: imports });
  expect(() => checkSentryImports(root)).toThrow(`${file} imports @sentry/nextjs: write`);
});

test("tests, scripts and packages are not", () => {
  const folders = ["tests", "scripts", "node_modules/a", "lib/node_modules/a", ".next"];
  const root = temporaryFolder(
    Object.fromEntries(folders.map((folder) => [`${folder}/a.ts`, imports])),
  );
  expect(sentryFaultsIn(root).filter((fault) => fault.includes("@sentry"))).toEqual([]);
});

test("this app has no such import, and no sampler", () => {
  expect(() => checkSentryImports(".")).not.toThrow();
  expect(hasTracesSampler(".")).toBe(false);
});

test.each([
  ["sentry.client.config.ts", "export const options = { tracesSampler: () => 0.5 };", true],
  ["lib/app/sampling.ts", "export function tracesSampler() {}", true],
  ["sentry.client.config.ts", "// tracesSampler is for the server", false],
  ["sentry.server.config.ts", "export const options = { tracesSampler: () => 0.5 };", false],
])("in %s, %s is a sampler that the browser may have: %s", (file, text, expected) => {
  const root = temporaryFolder({ "lib/app/other.ts": "", [file]: text });
  expect(hasTracesSampler(root)).toBe(expected);
});

const setUp = [
  "instrumentation.ts",
  "instrumentation-client.ts",
  "lib/server/start.ts",
  "pages/_error.tsx",
].map((file): [string, string] => [file, readFileSync(file, "utf8")]);

test.each([
  ["instrumentation.ts", "startServer"],
  ["instrumentation.ts", "reportRequestError"],
  ["instrumentation-client.ts", "watchErrors"],
  ["pages/_error.tsx", "referenceOnErrorPage"],
  ["pages/_error.tsx", "captureException"],
])(
  "%s without %s, as it is when the lines of Sentry's wizard are taken out, is refused",
  (file, name) => {
    const sources = Object.fromEntries(setUp);
    expect(lostCalls(sources)).toEqual([]);
    const without = sources[file]?.replaceAll(`${name}(`, "nothing(");
    expect(lostCalls({ ...sources, [file]: without ?? "" })).toEqual([
      expect.stringMatching(`^${file} does not call ${name}\\(\\): .* Bring the file back`),
    ]);
  },
);

test("the build refuses an app without these files", () => {
  const missing = "instrumentation-client.ts does not call watch";
  expect(() => checkSentryImports(temporaryFolder())).toThrow(missing);
});
