import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "@/tests/support/folders";

const above = "above lib";
const onServer = "Only instrumentation.ts and pages/api import lib/server";
const inside = "The app knows a package by its name";
const outside = "The package knows no file of the app";
const anywhere = "The relay runs in any Node server";
const below = "The outbox knows neither HTTP nor the service";
const inboxOnly = "The inbox is built on the relay alone";
const late = "Only the import() in packages/sentry/src/browser/first-load/watch-errors.ts";

/** A file, what it imports, and what the linter says of that. */
const cases: [file: string, name: string, fault?: string][] = [
  ["lib/app/a.ts", "@/lib/feedback/x"],
  ["lib/app/a.ts", "@signpost/sentry/server"],
  ["lib/app/a.ts", "@/lib/server/x", onServer],
  ["lib/app/orders/a.ts", "../../server/x", onServer],
  ["lib/app/a.ts", "@/components/x", above],
  ["lib/messages/a.ts", "../../pages/x", above],
  ["lib/config.ts", "@/packages/sentry/src/config", inside],
  ["lib/server/a.ts", "@/components/x", above],
  ["lib/server/a.ts", "./x"],
  ["packages/relay/src/delivery/a.ts", "../outbox/x.ts"],
  ["packages/relay/src/outbox/a.ts", "../delivery/x.ts", below],
  ["packages/relay/src/outbox/a.ts", "../tunnel/x.ts", below],
  ["packages/relay/src/outbox/a.ts", "../envelope/x.ts"],
  ["packages/relay/src/tunnel/a.ts", "nextjs-like"],
  ["packages/relay/src/tunnel/a.ts", "@sentry/core"],
  ["packages/relay/src/tunnel/a.ts", "@sentry/nextjs", anywhere],
  ["packages/relay/src/tunnel/a.ts", "@signpost/sentry/server", anywhere],
  ["packages/relay/src/tunnel/a.ts", "@/lib/app/x", anywhere],
  ["packages/relay/src/tunnel/a.ts", "next/router", anywhere],
  ["packages/sentry/src/server/a.ts", "@signpost/relay"],
  ["packages/sentry/src/server/a.ts", "@signpost/relay/http"],
  ["packages/sentry/src/server/a.ts", "@/lib/navigation/x", outside],
  ["packages/sentry/src/server/a.ts", "../../../site/routes/x", outside],
  ["packages/sentry/src/server/a.ts", "@signpost/sentry/server", outside],
  ["packages/sentry/src/browser/first-load/a.ts", "../sdk/error-events.ts", late],
  ["packages/sentry/src/browser/sdk/a.ts", "../sdk/x.ts"],
  ["packages/inbox/src/model/a.ts", "@signpost/sentry/server", inboxOnly],
  ["packages/inbox/src/model/a.ts", "@/lib/server/x", inboxOnly],
  ["packages/inbox/src/pages/a.tsx", "next/link", inboxOnly],
  ["packages/inbox/src/pages/a.tsx", "react"],
  ["packages/inbox/src/model/a.ts", "@signpost/relay/store"],
  ["components/a.tsx", "@/lib/app/x"],
  ["components/a.tsx", "react"],
  ["components/a.tsx", "@/pages/x", "nothing imports them"],
  ["components/a.tsx", "../lib/server/x", onServer],
  ["components/a.tsx", "@/packages/sentry/src/index.browser", inside],
  ["pages/a.tsx", "../components/x"],
  ["pages/a.tsx", "@/lib/server/x", onServer],
  ["pages/a.tsx", "@signpost/sentry/document"],
  ["pages/api/a.ts", "@/lib/server/x"],
  ["instrumentation.ts", "./lib/server/x"],
  ["instrumentation-client.ts", "./lib/server/x", onServer],
  ["next.config.ts", "@/packages/sentry/src/browser/sdk/start", inside],
  ["sentry.client.config.ts", "@/packages/sentry/src/browser/sdk/start", inside],
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
