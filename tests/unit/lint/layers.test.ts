import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";

/** The layers of lib, from the bottom to the top: each may import those before it. */
const layers = [
  "process-wide.js",
  "config",
  "log.ts",
  "messages",
  "routes",
  "http",
  "envelope",
  "stacks",
  "outbox",
  "inbox",
  "relay",
  "navigation",
  "reporting",
  "feedback",
  "server",
];
const withoutReact = ["stacks", "outbox", "inbox", "relay"];

interface Report {
  diagnostics: { location: { path: string; start: { line: number } } }[];
}

/** Specifiers that lint refuses, by the file that imports them. */
const refused = new Map<string, string[]>();

/** Files to lint, each with the specifiers that it imports. */
const probes: Record<string, string[]> = {
  "components/probe.tsx": ["@/lib/server/x", "../lib/server/x", "@/lib/feedback/x"],
  "pages/probe.tsx": ["@/lib/server/x", "../lib/server/x", "@/lib/feedback/x"],
  "pages/api/probe.ts": ["@/lib/server/x", "../../lib/server/x"],
  "instrumentation.ts": ["@/lib/server/x", "./lib/server/x"],
  "instrumentation-client.ts": ["@/lib/server/x", "./lib/server/x"],
};
for (const layer of layers) for (const file of filesOf(layer)) probes[file] = specifiersFor(file);

function isFile(layer: string): boolean {
  return layer.includes(".");
}

function filesOf(layer: string): string[] {
  return isFile(layer) ? [`lib/${layer}`] : [`lib/${layer}/probe.ts`, `lib/${layer}/deep/probe.ts`];
}

/** Every way to import a layer from a file of lib. */
function specifiersOf(layer: string, file: string): string[] {
  const up = "../".repeat(file.split("/").length - 2) || "./";
  const path = isFile(layer) ? layer.replace(/\.ts$/, "") : `${layer}/x`;
  return [`@/lib/${path}`, up + path];
}

function specifiersFor(file: string): string[] {
  const up = "../".repeat(file.split("/").length - 1);
  return [
    ...layers.flatMap((layer) => specifiersOf(layer, file)),
    ...["@/components/x", "@/pages/x", `${up}components/x`, `${up}pages/x`],
    ...["react", "react-dom/server", "next", "next/router", "next/router.js"],
  ];
}

/** Lints the probes in a folder of their own, by the rules of this project. */
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "signpost-lint-"));
  cpSync("biome.json", join(folder, "biome.json"));
  for (const [file, specifiers] of Object.entries(probes)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    const lines = specifiers.map((specifier, n) => `export * as x${n} from "${specifier}";\n`);
    writeFileSync(join(folder, file), lines.join(""));
  }
  const biome = join(process.cwd(), "node_modules/@biomejs/biome/bin/biome");
  const options = ["--only=style/noRestrictedImports", "--vcs-enabled=false", "--reporter=json"];
  const output = await new Promise<string>((resolve) => {
    const args = [biome, "lint", ...options, "--max-diagnostics=10000", "."];
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 26 }, (_error, stdout) =>
      resolve(stdout),
    );
  });
  rmSync(folder, { recursive: true });
  for (const { location } of (JSON.parse(output) as Report).diagnostics) {
    const { path, start } = location;
    const specifier = probes[path]?.[start.line - 1];
    if (specifier) refused.set(path, [...(refused.get(path) ?? []), specifier]);
  }
});

test("every layer of lib has its place in the order", () => {
  expect(layers).toEqual(expect.arrayContaining(readdirSync("lib")));
});

test.each(layers)(
  "%s imports the layers below it, and neither those above it nor pages",
  (layer) => {
    const above = layers.slice(layers.indexOf(layer) + 1);
    for (const file of filesOf(layer)) {
      const forbidden = specifiersFor(file).filter(
        (specifier) =>
          above.some((other) => specifiersOf(other, file).includes(specifier)) ||
          /\/(components|pages)\//.test(specifier) ||
          (withoutReact.includes(layer) && /^(react|next)\b/.test(specifier)),
      );
      expect(refused.get(file)?.sort(), file).toEqual(forbidden.sort());
    }
  },
);

test.each([
  ["components/probe.tsx", ["@/lib/server/x", "../lib/server/x"]],
  ["pages/probe.tsx", ["@/lib/server/x", "../lib/server/x"]],
  ["instrumentation-client.ts", ["@/lib/server/x", "./lib/server/x"]],
  ["instrumentation.ts", undefined],
  ["pages/api/probe.ts", undefined],
])("of lib/server, %s may not import %j", (file, specifiers) => {
  expect(refused.get(file)?.sort()).toEqual(specifiers?.sort());
});
