import { createRequire } from "node:module";
import { build, type Rollup } from "vite";
import { expect, test } from "vitest";
import { withNames } from "@/packages/sentry/names-of-sdk.js";

/*
 * Every runtime name that `@sentry/nextjs` exports is exported by `@signpost/sentry`, on the same side.
 * Names are read as a bundler reads them: by the export conditions of the packages.
 */

const conditions = {
  browser: ["browser", "import", "default"],
  edge: ["edge-light", "import", "default"],
};

async function namesOf(input: string, conditions: string[]): Promise<string[]> {
  const built = (await build({
    configFile: false,
    logLevel: "silent",
    resolve: { conditions },
    build: {
      write: false,
      minify: false,
      rollupOptions: { input, external: /^(next|react|node:)/, preserveEntrySignatures: "strict" },
    },
  })) as Rollup.RollupOutput;
  return built.output[0].exports;
}

const lacking = (own: string[], sdk: string[]) => {
  expect(sdk.length).toBeGreaterThan(90);
  return sdk.filter((name) => !own.includes(name));
};

const advice = "@sentry/nextjs has names that packages/sentry/src lacks. They belong into index";

test.each(["browser", "edge"] as const)("in the %s", async (side) => {
  const [own, sdk] = await Promise.all([
    namesOf(`packages/sentry/src/index.${side}.ts`, conditions[side]),
    namesOf("@sentry/nextjs", conditions[side]),
  ]);
  expect(lacking(own, sdk), `${advice}.${side}.ts.`).toEqual([]);
});

test("names of the package's own are on the edge, too: a page there has the app's _app and _error", async () => {
  const [server, edge, sdk] = await Promise.all([
    import("@signpost/sentry"),
    namesOf("packages/sentry/src/index.edge.ts", conditions.edge),
    namesOf("@sentry/nextjs", conditions.edge),
  ]);
  const nodes = Object.keys(createRequire(import.meta.url)("@sentry/nextjs"));
  const own = Object.entries(server)
    .filter(([name, value]) => value && !nodes.includes(name) && !sdk.includes(name))
    .map(([name]) => name);
  expect(own).toContain("captureReactException");
  expect(own.filter((name) => !edge.includes(name))).toEqual([]);
});

test("a bundler that reads the server's half finds each name of the browser's there, as in a CommonJS module", () => {
  const text = withNames('export * from "@sentry/nextjs";');
  const [, names = ""] = /export const \{(.*)\} = sdk/.exec(text) ?? [];
  const react = createRequire(createRequire(import.meta.url).resolve("@sentry/nextjs"));
  const lacking = Object.keys(react("@sentry/react")).filter(
    (name) => !names.split(/[ ,]+/).includes(name),
  );
  expect(lacking).toEqual([]);
});

test("on the server", async () => {
  const sdk = Object.keys(createRequire(import.meta.url)("@sentry/nextjs"));
  const own = Object.keys(await import("@signpost/sentry"));
  expect(lacking(own, sdk), `${advice}.server.ts.`).toEqual([]);
});
