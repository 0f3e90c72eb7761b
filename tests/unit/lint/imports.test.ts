import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "@/tests/support/folders";

const above = "Its room is above this one";
const onServer = "Only instrumentation.ts and pages/api import lib/server";
const plain = "What runs without React and without Next imports neither";
const late = "Only the import() in lib/sentry/browser/first-load/watch-errors.ts";

/** A file, what it imports, and what the linter says of that. */
const cases: [file: string, name: string, fault?: string][] = [
  ["lib/base/config/a.ts", "../singleton.js"],
  ["lib/base/config/a.ts", "@/lib/relay/http/x", above],
  ["lib/base/config/a.ts", "../../relay/http/x.js", above],
  ["lib/base/log.ts", "../site/routes/x", above],
  ["lib/base/config/a.ts", "../../server/x", above],
  ["lib/base/log.ts", "../server/x", above],
  ["lib/base/a.ts", "../build/x", above],
  ["lib/base/config/a.ts", "@/lib/base/server/x"],
  ["lib/build/a.ts", "../base/config/build.ts"],
  ["lib/build/a.ts", "@/lib/sentry/server", above],
  ["lib/build/a.ts", "../sentry/server.ts", above],
  ["lib/build/a.ts", "../server/x", above],
  ["lib/build/a.ts", "./sentry-imports.ts"],
  ["lib/relay/http/a.ts", "@/lib/base/config/x"],
  ["lib/relay/http/a.ts", "@/lib/relay/tunnel/x", above],
  ["lib/relay/http/a.ts", "../outbox/x", above],
  ["lib/relay/envelope/a.ts", "@/lib/relay/source-maps/x", above],
  ["lib/relay/outbox/a.ts", "@/lib/relay/delivery/x", above],
  ["lib/relay/outbox/a.ts", "@/lib/relay/envelope/x"],
  ["lib/relay/delivery/a.ts", "@/lib/relay/tunnel/x", above],
  ["lib/relay/delivery/a.ts", "@/lib/relay/outbox/x"],
  ["lib/relay/tunnel/a.ts", "@/lib/relay/outbox/x"],
  ["lib/relay/tunnel/a.ts", "nextjs-like"],
  ["lib/relay/tunnel/a.ts", "../../inbox/x", above],
  ["lib/relay/tunnel/a.ts", "../../server/x", above],
  ["lib/relay/tunnel/a.ts", "next/router", plain],
  ["lib/relay/feedback/a.ts", "@/lib/app/x", above],
  ["lib/sentry/server/a.ts", "@/lib/relay/tunnel/x"],
  ["lib/sentry/server/a.ts", "@/lib/site/routes/x", above],
  ["lib/sentry/a.ts", "../server/x", above],
  ["lib/sentry/server/a.ts", "../../server/x", above],
  ["lib/sentry/browser/first-load/a.ts", "../sdk/replay", late],
  ["lib/sentry/browser/sdk/a.ts", "@/lib/sentry/browser/sdk/x"],
  ["lib/site/messages/a.ts", "./pages/en"],
  ["lib/site/messages/a.ts", "../../../pages/x", above],
  ["lib/site/routes/a.ts", "../../server/x", above],
  ["lib/site/messages/a.ts", "@/lib/site/navigation/x", above],
  ["lib/site/routes/a.ts", "@/lib/base/browser/navigation"],
  ["lib/site/navigation/a.ts", "@/lib/sentry/browser/sdk/x", late],
  ["lib/site/policy/a.ts", "../../sentry/browser/sdk/x", late],
  ["lib/inbox/a.ts", "react-dom/server", plain],
  ["lib/inbox/a.ts", "@/lib/server/x", above],
  ["lib/inbox/model/a.ts", "../../server/x", above],
  ["lib/app/a.ts", "@/lib/relay/feedback/x"],
  ["lib/app/a.ts", "@/lib/server/x", onServer],
  ["lib/app/a.ts", "../server/x", onServer],
  ["lib/app/orders/a.ts", "../../server/x", onServer],
  ["lib/app/a.ts", "@/components/x", above],
  ["lib/app/a.ts", "@/lib/sentry/browser/sdk/x", late],
  ["lib/payments/a.ts", "@/lib/server/x", onServer],
  ["lib/payments/a.ts", "@/lib/sentry"],
  ["lib/server/a.ts", "@/components/x", above],
  ["lib/server/a.ts", "@/lib/sentry/browser/sdk/x", late],
  ["components/a.tsx", "@/lib/app/x"],
  ["components/a.tsx", "react"],
  ["components/a.tsx", "@/pages/x", above],
  ["components/a.tsx", "../lib/server/x", onServer],
  ["pages/a.tsx", "../components/x"],
  ["pages/a.tsx", "@/lib/server/x", onServer],
  ["pages/a.tsx", "@/lib/sentry/browser/sdk/client-options"],
  ["pages/api/a.ts", "@/lib/server/x"],
  ["instrumentation.ts", "./lib/server/x"],
  ["instrumentation-client.ts", "./lib/server/x", onServer],
  ["reporting.config.ts", "@/lib/sentry/browser/sdk/sdk", late],
  ["sentry.client.config.ts", "@/lib/sentry/browser/sdk/sdk", late],
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
