import { renameSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { SDK_VERSION } from "@sentry/core";
import type { NextConfig } from "next";
import { PHASE_PRODUCTION_SERVER } from "next/constants.js";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import manifest from "@/packages/sentry/package.json";
import { unequalParts } from "@/packages/sentry/src/config/sentry-modules";
import { withSentryConfig } from "@/packages/sentry/src/config/with-sentry-config";
import { servedApp } from "@/packages/sentry/src/shared/environment/served-app";
import { nextFault } from "@/packages/sentry/src/shared/environment/versions";
import { temporaryFolder, writeIn } from "@/tests/support/folders";

afterEach(() => {
  vi.unstubAllEnvs();
  Reflect.deleteProperty(globalThis, Symbol.for("signpost.app"));
});

test("an app's own settings stay", async () => {
  vi.stubEnv("SOURCE_MAPS", "off");
  const own = {
    basePath: "/shop",
    env: { OWN: "1" },
    serverExternalPackages: ["own"],
    turbopack: { resolveAlias: { own: "./own.ts" } },
  };
  const config = withSentryConfig(own);
  expect(config).toMatchObject({
    basePath: "/shop",
    env: { OWN: "1", _sentryTunnelPath: "/shop/api/relay" },
    serverExternalPackages: ["own", "@signpost/relay", "@signpost/sentry", "@signpost/inbox"],
    turbopack: {
      resolveAlias: { own: "./own.ts", "@sentry/nextjs": { browser: expect.any(String) } },
    },
  });
});

test("webpack's browser half takes our functions for Sentry's, beside the app's own aliases", async () => {
  const own = (given: { name: string; resolve: object }) => ({ ...given, name: "own" });
  const { webpack } = withSentryConfig({ webpack: own });
  const built = (isServer: boolean) =>
    webpack?.({ resolve: { alias: { a: "./a" } } }, { isServer } as never);
  // Webpack looks for a name from the file that imports it. A package of a monorepo need not have ours.
  const path = resolve("packages/sentry/src/index.browser.js");
  const alias = { a: "./a", "@sentry/react$": path, "@sentry/nextjs$": path };
  expect(built(false)).toMatchObject({ name: "own", resolve: { alias } });
  expect(built(true)).toEqual({ name: "own", resolve: { alias: { a: "./a" } } });
});

test("what the server knows of the app is what its configuration says", async () => {
  const own = (phase: string) => ({
    distDir: phase === PHASE_PRODUCTION_SERVER ? "build" : ".next",
    basePath: "/shop",
    assetPrefix: "https://cdn.example/files/",
    i18n: { locales: ["de", "en", "fr"], defaultLocale: "en" },
  });
  await withSentryConfig(own, { tunnelRoute: "/monitoring" })(PHASE_PRODUCTION_SERVER, {
    defaultConfig: {},
  });
  expect(servedApp()).toEqual({
    folder: process.cwd(),
    basePath: "/shop",
    assetPath: "/files",
    distDir: resolve("build"),
    locales: ["en", "de", "fr"],
    tunnelPath: "/shop/monitoring",
  });
});

test("a standalone server, which runs no next.config, knows the same", async () => {
  const config = withSentryConfig({ basePath: "/shop" });
  const before = servedApp();
  Reflect.deleteProperty(globalThis, Symbol.for("signpost.app"));
  vi.stubEnv("__NEXT_PRIVATE_STANDALONE_CONFIG", JSON.stringify(config));
  expect(servedApp()).toEqual(before);
  expect(before.tunnelPath).toBe("/shop/api/relay");
});

test("an app without a configuration is at the root, without languages", () => {
  expect(servedApp()).toEqual({
    folder: process.cwd(),
    basePath: "",
    assetPath: "",
    distDir: resolve(".next"),
    locales: [],
    tunnelPath: "/api/relay",
  });
});

test.each([
  [".next", ".next/server"],
  ["./build", "build/server"],
  [".next", ".next/dev/server"],
])(
  "the app's folder is the one that Next has loaded instrumentation from, wherever the server was started: %s, %s",
  async (distDir, built) => {
    const folder = temporaryFolder();
    const file = writeIn(folder, `${built}/instrumentation.js`, "");
    const { cache } = createRequire(import.meta.url);
    createRequire(file)(file);
    onTestFinished(() => void Reflect.deleteProperty(cache, file));
    vi.resetModules();
    const { noteConfiguration, servedApp } = await import(
      "@/packages/sentry/src/shared/environment/served-app"
    );
    noteConfiguration({ distDir });
    onTestFinished(() => void Reflect.deleteProperty(globalThis, Symbol.for("signpost.app")));
    expect(servedApp()).toMatchObject({ folder, distDir: resolve(folder, distDir) });
  },
);

test("a Next before 15.4 is told by name", () => {
  expect(nextFault("14.2.35")).toBe(
    "@signpost/sentry needs Next 15.4 or newer, and this is Next 14.2.35.",
  );
  expect(["15.4.0", "15.5.29", "16.0.0"].map(nextFault)).toEqual([undefined, undefined, undefined]);
});

test("a build without a server, whose reports would be lost, fails", async () => {
  const config = withSentryConfig({ output: "export" });
  await expect(config.generateBuildId?.()).rejects.toThrow('output is "export"');
});

function inFolder(files: Record<string, string>) {
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(temporaryFolder());
  for (const [path, text] of Object.entries(files)) writeIn(process.cwd(), path, text);
}

test("a build in which Next leaves instrumentation unread fails, and instrumentation-client needs no page's extension", async () => {
  inFolder({ "src/instrumentation.ts": "", "src/instrumentation-client.ts": "" });
  const build = (pageExtensions?: string[]) =>
    withSentryConfig({ pageExtensions, generateBuildId: () => "own" }).generateBuildId?.();
  const pages = ["page.tsx", "page.ts"];
  await expect(build(pages)).rejects.toThrow(
    "instrumentation.ts is not read: Next looks for instrumentation.page.tsx. Rename it.",
  );
  expect(await build()).toBe("own");
  expect(await build(["mdx", "ts"])).toBe("own");
  renameSync("src/instrumentation.ts", "src/instrumentation.page.ts");
  expect(await build(pages)).toBe("own");
  renameSync("src/instrumentation-client.ts", "src/instrumentation-client.page.ts");
  await expect(build(pages)).rejects.toThrow(
    "instrumentation-client.page.ts is not read: Next looks for instrumentation-client.ts. Rename it.",
  );
});

test.each([
  "monitoring",
  "/",
  "/monitoring/",
  "/monitoring?o=1",
  "/a/../b",
  "/[id]",
  "/:path*",
  "/ü",
  "//sentry.example.com",
  "https://sentry.example.com/monitoring",
  "/_next/monitoring",
  7,
])("a tunnelRoute at which nothing would arrive, %j, is refused", (tunnelRoute) => {
  expect(() => withSentryConfig({}, { tunnelRoute: tunnelRoute as string })).toThrow(
    `tunnelRoute is ${JSON.stringify(tunnelRoute)}: must be a path`,
  );
});

test.each([
  [undefined, "/api/relay"],
  ["", "/api/relay"],
  [false, "/api/relay"],
  [true, "/api/relay"],
  ["/monitoring", "/monitoring"],
  ["/error-monitoring/v1.2", "/error-monitoring/v1.2"],
])("the tunnelRoute %j of Sentry's documentation is taken", (tunnelRoute, path) => {
  expect(withSentryConfig({}, { tunnelRoute }).env?._sentryTunnelPath).toBe(path);
});

test("a tunnelRoute that would hide a page or an API route fails the build", async () => {
  vi.stubEnv("SOURCE_MAPS", "off");
  const distDir = temporaryFolder();
  const own = vi.fn();
  const compile = (tunnelRoute: string) =>
    withSentryConfig(
      { basePath: "/shop", compiler: { runAfterProductionCompile: own } },
      { tunnelRoute },
    ).compiler?.runAfterProductionCompile?.({ distDir, projectDir: "." });
  const built = { "/": "", "/monitoring": "", "/api/settings": "", "/api/relay/settings": "" };
  writeIn(distDir, "server/pages-manifest.json", JSON.stringify(built));
  await expect(compile("/monitoring")).rejects.toThrow(
    'tunnelRoute is "/monitoring", but the app has a page or an API route at /monitoring,',
  );
  await expect(compile("/api/relay")).rejects.toThrow("an API route at /api/relay/settings,");
  expect(own).not.toHaveBeenCalled();
  await compile("/api/other");
  expect(own).toHaveBeenCalledOnce();
});

test("source maps are uploaded by the variables in the file of Sentry's wizard, which goes before the environment", async () => {
  vi.stubEnv("SENTRY_AUTH_TOKEN", "");
  const hook = () => withSentryConfig({ distDir: "build" }).turbopack?.debugIds;
  inFolder({});
  expect(hook()).toBeUndefined();
  writeIn(
    process.cwd(),
    ".env.sentry-build-plugin",
    '# DO NOT commit it\nSENTRY_AUTH_TOKEN="sntrys_a"\n',
  );
  expect(hook()).toBe(true);
  vi.stubEnv("SENTRY_AUTH_TOKEN", "sntrys_b");
  writeIn(process.cwd(), ".env.sentry-build-plugin", "SENTRY_AUTH_TOKEN=\n");
  expect(hook()).toBeUndefined();
});

test("an object gives an object, which other wrappers take, and a function a function", async () => {
  const withAnother = (config: NextConfig) => ({ ...config, reactStrictMode: true });
  expect(withAnother(withSentryConfig({ basePath: "/shop" }))).toMatchObject({
    basePath: "/shop",
    env: { _sentryTunnelPath: "/shop/api/relay" },
  });
  const context = { defaultConfig: {} };
  const plain = withSentryConfig((phase) => ({ env: { phase } }));
  expect(plain("a", context)).toMatchObject({ env: { phase: "a" } });
  const late = withSentryConfig(async (phase) => ({ env: { phase } }));
  expect(await late("b", context)).toMatchObject({ env: { phase: "b" } });
});

test("npm update brings a patched SDK, the same for all its parts", () => {
  const ranges = Object.entries(manifest.dependencies)
    .filter(([name]) => name.startsWith("@sentry/") || name === "sentry-scopes")
    .map(([, range]) => range.replace("npm:@sentry/core@", ""));
  expect(ranges).toEqual(Array(5).fill(`~${SDK_VERSION}`));
});

test("parts of Sentry's SDK that are of several versions are named, for a build to be refused", () => {
  expect(unequalParts()).toBeUndefined();
  const installed = (name: string) => (name === "@sentry/core" ? "11.12.0" : "11.5.0");
  expect(unequalParts(installed)).toMatch(
    /^@sentry\/nextjs 11\.5\.0 is installed beside @sentry\/core 11\.12\.0: all must be of one version\./,
  );
});
