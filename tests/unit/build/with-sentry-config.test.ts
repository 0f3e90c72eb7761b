import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NextConfig } from "next";
import { PHASE_PRODUCTION_SERVER } from "next/constants.js";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { withSentryConfig } from "@/lib/sentry/src/config/with-sentry-config";
import { servedApp } from "@/lib/sentry/src/shared/environment/served-app";

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
    serverExternalPackages: ["own", "@signpost/sentry"],
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
  const alias = { a: "./a", "@sentry/react$": "@signpost/sentry" };
  expect(built(false)).toMatchObject({ name: "own", resolve: { alias } });
  expect(built(true)).toEqual({ name: "own", resolve: { alias: { a: "./a" } } });
});

test("what the server knows of the app is what its configuration says", async () => {
  const own = (phase: string) => ({
    distDir: phase === PHASE_PRODUCTION_SERVER ? "build" : ".next",
    basePath: "/shop",
    i18n: { locales: ["de", "en", "fr"], defaultLocale: "en" },
  });
  await withSentryConfig(own, { tunnelRoute: "/monitoring" })(PHASE_PRODUCTION_SERVER, {
    defaultConfig: {},
  });
  expect(servedApp()).toEqual({
    basePath: "/shop",
    distDir: "build",
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
    basePath: "",
    distDir: ".next",
    locales: [],
    tunnelPath: "/api/relay",
  });
});

test("a build without a server, whose reports would be lost, fails", async () => {
  const config = withSentryConfig({ output: "export" });
  await expect(config.generateBuildId?.()).rejects.toThrow('output is "export"');
});

test("a build in which Next leaves instrumentation unread fails", async () => {
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(mkdtempSync(join(tmpdir(), "extensions-")));
  mkdirSync("src");
  writeFileSync("src/instrumentation.ts", "");
  const build = (pageExtensions?: string[]) =>
    withSentryConfig({ pageExtensions, generateBuildId: () => "own" }).generateBuildId?.();
  await expect(build(["page.tsx", "page.ts"])).rejects.toThrow(
    "instrumentation.ts is not read: with pageExtensions, Next looks for instrumentation.page.tsx. Rename it.",
  );
  expect(await build()).toBe("own");
  expect(await build(["mdx", "ts"])).toBe("own");
  writeFileSync("src/instrumentation.page.ts", "");
  expect(await build(["page.tsx", "page.ts"])).toBe("own");
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
