import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { defaultConfig } from "next/dist/server/config-shared";
import { expect, test } from "vitest";

const { experimental } = defaultConfig;

/** Which constant each flag becomes in the browser's code. */
const browserFlags = {
  clientRouterFilter: "process.env.__NEXT_CLIENT_ROUTER_FILTER_ENABLED",
};

test.each(Object.entries(browserFlags))("experimental.%s decides over %s", async (flag, name) => {
  const { getDefineEnv } = await import("next/dist/build/define-env");
  const valueFor = (value: boolean) => {
    const config = { ...defaultConfig, experimental: { ...experimental, [flag]: value } };
    const options = { isTurbopack: true, isClient: true, dev: false, distDir: ".next", config };
    return getDefineEnv(options as unknown as Parameters<typeof getDefineEnv>[0])[name];
  };
  expect(
    [String(valueFor(true)), String(valueFor(false))],
    `experimental.${flag} no longer reaches the browser's code as ${name}: next.config.js sets it, and the comment there says what for.`,
  ).toEqual(["true", "false"]);
});

test.each([
  ...Object.keys(browserFlags),
  "isrFlushToDisk",
  "validateRSCRequestHeaders",
  "serverSourceMaps",
])("experimental.%s is a setting that Next knows", async (flag) => {
  const { configSchema } = await import("next/dist/server/config-schema");
  const faults = configSchema.safeParse({ experimental: { [flag]: "neither true nor false" } });
  expect(
    faults.error?.issues.map((issue: { path: string[]; code: string }) => [
      issue.path.join("."),
      issue.code,
    ]),
    `Next no longer knows experimental.${flag}: next.config.js, or packages/sentry/src/config/source-maps.ts, sets it in vain.`,
  ).toEqual([[`experimental.${flag}`, "invalid_type"]]);
});

test("Next's own defaults are those that next.config.js changes", () => {
  expect(
    experimental,
    "Next has other defaults now: what next.config.js sets to the same can go.",
  ).toMatchObject({
    clientRouterFilter: true,
    isrFlushToDisk: true,
    validateRSCRequestHeaders: true,
  });
});

test("the base path reaches the browser's code", async () => {
  const { getDefineEnv } = await import("next/dist/build/define-env");
  const config = { ...defaultConfig, basePath: "/shop" };
  const options = { isTurbopack: true, isClient: true, dev: false, distDir: ".next", config };
  const defined = getDefineEnv(options as unknown as Parameters<typeof getDefineEnv>[0]);
  expect(
    defined["process.env.__NEXT_ROUTER_BASEPATH"],
    "Next no longer puts the base path into the browser's code as __NEXT_ROUTER_BASEPATH: packages/sentry/src/browser/first-load/app.ts reads it there.",
  ).toBe('"/shop"');
});

test("the standalone server has Next's configuration in its environment", () => {
  const file = createRequire(import.meta.url).resolve("next/dist/build/utils.js");
  expect(
    readFileSync(file, "utf8"),
    "A standalone server no longer sets __NEXT_PRIVATE_STANDALONE_CONFIG: packages/sentry/src/shared/environment/served-app.ts reads base path, languages and the tunnel's path there.",
  ).toContain("process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify(nextConfig)");
});
