import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "@/tests/support/folders";

const above = "Its folder is above this one";
const onServer = "Only instrumentation.ts and pages/api import lib/server";
const plain = "What runs without React and without Next imports neither";
const inside = "The app knows the package by its name";
const outside = "The package knows no file of the app";
const late = "Only the import() in packages/sentry/src/browser/first-load/watch-errors.ts";

/** A file, what it imports, and what the linter says of that. */
const cases: [file: string, name: string, fault?: string][] = [
  ["lib/base/config/a.ts", "../browser/x.js"],
  ["lib/base/config/a.ts", "@signpost/sentry/server"],
  ["lib/base/config/a.ts", "@/lib/site/routes/x", above],
  ["lib/base/config/a.ts", "../../site/routes/x.js", above],
  ["lib/base/config/a.ts", "../../sentry/src/server/x.js", inside],
  ["lib/base/log.ts", "../site/routes/x", above],
  ["lib/base/config/a.ts", "../../server/x", above],
  ["lib/base/log.ts", "../server/x", above],
  ["lib/base/a.ts", "../build/x", above],
  ["lib/base/config/a.ts", "@/lib/base/server/x"],
  ["lib/build/a.ts", "../base/config/build.ts"],
  ["lib/build/a.ts", "@/packages/sentry/src/config", inside],
  ["lib/build/a.ts", "../sentry/src/config.ts", inside],
  ["lib/build/a.ts", "../server/x", above],
  ["lib/build/a.ts", "./next-modules.ts"],
  ["lib/feedback/a.ts", "@/lib/site/messages/x"],
  ["lib/feedback/a.ts", "@/lib/app/x", above],
  ["lib/feedback/a.ts", "../server/x", above],
  ["packages/sentry/src/relay/http/a.ts", "../../shared/x.ts"],
  ["packages/sentry/src/relay/http/a.ts", "../../shared/server/x.ts"],
  ["packages/sentry/src/relay/http/a.ts", "../tunnel/x.ts", above],
  ["packages/sentry/src/relay/http/a.ts", "../outbox/x.ts", above],
  ["packages/sentry/src/relay/envelope/a.ts", "../source-maps/x.ts", above],
  ["packages/sentry/src/relay/outbox/a.ts", "../delivery/x.ts", above],
  ["packages/sentry/src/relay/outbox/a.ts", "../envelope/x.ts"],
  ["packages/sentry/src/relay/delivery/a.ts", "../tunnel/x.ts", above],
  ["packages/sentry/src/relay/delivery/a.ts", "../outbox/x.ts"],
  ["packages/sentry/src/relay/tunnel/a.ts", "../outbox/x.ts"],
  ["packages/sentry/src/relay/tunnel/a.ts", "nextjs-like"],
  ["packages/sentry/src/relay/tunnel/a.ts", "@/lib/inbox/x", above],
  ["packages/sentry/src/relay/tunnel/a.ts", "../../../../inbox/x", above],
  ["packages/sentry/src/relay/tunnel/a.ts", "../../server/x.ts", above],
  ["packages/sentry/src/relay/tunnel/a.ts", "next/router", plain],
  ["packages/sentry/src/server/a.ts", "../relay/tunnel/x.ts"],
  ["packages/sentry/src/server/a.ts", "@/lib/site/routes/x", outside],
  ["packages/sentry/src/server/a.ts", "../../../site/routes/x", outside],
  ["packages/sentry/src/server/a.ts", "@signpost/sentry/server", outside],
  ["packages/sentry/src/browser/first-load/a.ts", "../sdk/error-events.ts", late],
  ["packages/sentry/src/browser/sdk/a.ts", "../sdk/x.ts"],
  ["lib/site/messages/a.ts", "./pages/en"],
  ["lib/site/messages/a.ts", "../../../pages/x", above],
  ["lib/site/routes/a.ts", "../../server/x", above],
  ["lib/site/messages/a.ts", "@/lib/site/navigation/x", above],
  ["lib/site/routes/a.ts", "@/lib/base/browser/navigation"],
  ["lib/site/navigation/a.ts", "@/packages/sentry/src/browser/sdk/x", inside],
  ["lib/site/policy/a.ts", "../../sentry/src/browser/sdk/x", inside],
  ["lib/inbox/a.ts", "react-dom/server", plain],
  ["lib/inbox/a.ts", "@/lib/server/x", above],
  ["lib/inbox/model/a.ts", "../../server/x", above],
  ["lib/app/a.ts", "@/lib/feedback/x"],
  ["lib/app/a.ts", "@/lib/server/x", onServer],
  ["lib/app/a.ts", "../server/x", onServer],
  ["lib/app/orders/a.ts", "../../server/x", onServer],
  ["lib/app/a.ts", "@/components/x", above],
  ["lib/app/a.ts", "@/packages/sentry/src/browser/sdk/x", inside],
  ["lib/payments/a.ts", "@/lib/server/x", onServer],
  ["lib/payments/a.ts", "@signpost/sentry"],
  ["lib/payments/a.ts", "@/packages/sentry", inside],
  ["lib/server/a.ts", "@/components/x", above],
  ["lib/server/a.ts", "@/packages/sentry/src/browser/sdk/x", inside],
  ["components/a.tsx", "@/lib/app/x"],
  ["components/a.tsx", "react"],
  ["components/a.tsx", "@/pages/x", above],
  ["components/a.tsx", "../lib/server/x", onServer],
  ["components/a.tsx", "@/packages/sentry/src/index.browser", inside],
  ["pages/a.tsx", "../components/x"],
  ["pages/a.tsx", "@/lib/server/x", onServer],
  ["pages/a.tsx", "@signpost/sentry/document"],
  ["pages/api/a.ts", "@/lib/server/x"],
  ["instrumentation.ts", "./lib/server/x"],
  ["instrumentation-client.ts", "./lib/server/x", onServer],
  ["next.config.ts", "@/packages/sentry/src/browser/sdk/sdk", inside],
  ["sentry.client.config.ts", "@/packages/sentry/src/browser/sdk/sdk", inside],
];

/** All ways to import: each is seen. */
const textOf = (name: string) =>
  [
    `import { a } from "${name}";`,
    `import "${name}";`,
    `export * from '${name}';`,
    `export const b = await import("${name}");`,
    `import {\n  c,\n} from "${name}";`,
    "",
  ].join("\n");

/** Files of the root have names that count. */
const pathOf = (file: string, n: number) => file.replace(/\/a\.(?=tsx?$)/, `/case-${n}.`);

test("the linter refuses what goes upwards, and nothing else, in each way to import", () => {
  const files = cases.map(([file, name], n) => [pathOf(file, n), textOf(name)]);
  const folder = temporaryFolder(Object.fromEntries(files));
  copyFileSync("biome.json", join(folder, "biome.json"));
  const args = ["lint", "--only=style/noRestrictedImports", "--vcs-enabled=false"];
  const { stdout } = spawnSync(
    resolve("node_modules/.bin/biome"),
    [...args, "--max-diagnostics=none", "--reporter=json"],
    { cwd: folder, encoding: "utf8" },
  );
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { message: string; location: { path: string } }[];
  };
  const said = cases.map(([file, name], n) => {
    const found = diagnostics.filter(({ location }) => location.path === pathOf(file, n));
    return [file, name, ...new Set(found.map(({ message }) => message)), found.length];
  });
  expect(said).toEqual(
    cases.map(([file, name, fault]) =>
      fault ? [file, name, expect.stringContaining(fault), 5] : [file, name, 0],
    ),
  );
});
