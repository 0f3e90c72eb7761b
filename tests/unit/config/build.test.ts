import { describe, expect, test } from "vitest";
import { buildId, readBuildConfig } from "@/lib/config/build.js";

test("an empty environment builds an app at the root, whose tunnel is called relay", () => {
  expect(readBuildConfig({})).toEqual({ basePath: "", tunnel: "relay", sourceMaps: undefined });
});

test("source maps are uploaded only where there is a token", () => {
  expect(readBuildConfig({ SENTRY_ORG: "o", SENTRY_PROJECT: "p" }).sourceMaps).toBeUndefined();
  const env = { SENTRY_AUTH_TOKEN: "t", SENTRY_ORG: "o", SENTRY_PROJECT: "p" };
  expect(readBuildConfig(env).sourceMaps).toEqual({ authToken: "t", org: "o", project: "p" });
});

describe("refuses", () => {
  test.each([
    ["NEXT_PUBLIC_BASE_PATH", "shell", "must begin with a slash"],
    ["NEXT_PUBLIC_BASE_PATH", "/shell/", "must begin with a slash and not end with one"],
    ["NEXT_PUBLIC_BASE_PATH", "/", "must begin with a slash and not end with one"],
    ["NEXT_PUBLIC_BASE_PATH", "/a b", "must begin with a slash"],
    ["NEXT_PUBLIC_TUNNEL", "a/b", "must be 1 to 64 letters"],
    ["NEXT_PUBLIC_TUNNEL", "settings", "is the name of another API route"],
  ])("%s=%s", (name, value, fault) => {
    expect(() => readBuildConfig({ [name]: value })).toThrow(fault);
    expect(() => readBuildConfig({ [name]: value })).toThrow(`${name}=`);
  });
});

test("where nothing was built yet, the build is called development", () => {
  expect(buildId("/nowhere")).toBe("development");
});
