import { describe, expect, test } from "vitest";
import { keepDeploymentId, readBuildConfig } from "@/lib/base/config/build";
import { apiNames } from "@/lib/build/api-names";
import { buildId, readUploadConfig } from "@/packages/sentry/src/shared/environment/build";
import { temporaryFolder } from "@/tests/support/folders";

test("an empty environment builds an app at the root, whose tunnel is called relay", () => {
  expect(readBuildConfig({})).toEqual({
    basePath: "",
    tunnel: "relay",
    siteOrigin: undefined,
    deploymentId: undefined,
  });
});

test("source maps are uploaded only where there is a token, and kept where there is none", () => {
  const project = { SENTRY_ORG: "o", SENTRY_PROJECT: "p" };
  expect(readUploadConfig(project)).toMatchObject({
    keepSourceMaps: true,
    sourceMapUpload: undefined,
  });
  expect(readUploadConfig({ ...project, SENTRY_AUTH_TOKEN: "t" })).toMatchObject({
    keepSourceMaps: false,
    sourceMapUpload: { authToken: "t", org: "o", project: "p" },
  });
});

test("source maps are not kept where they are turned off", () => {
  expect(readUploadConfig({ SOURCE_MAPS: "off" })).toMatchObject({
    keepSourceMaps: false,
    sourceMapUpload: undefined,
  });
});

describe("refuses", () => {
  test.each([
    ["NEXT_PUBLIC_BASE_PATH", "shell", "must begin with a slash"],
    ["NEXT_PUBLIC_BASE_PATH", "/shell/", "must begin with a slash and not end with one"],
    ["NEXT_PUBLIC_BASE_PATH", "/", "must begin with a slash and not end with one"],
    ["NEXT_PUBLIC_BASE_PATH", "/a b", "must begin with a slash"],
    ["SITE_ORIGIN", "https://www.example.com/", "must be an origin"],
    ["SITE_ORIGIN", "www.example.com", "must be an origin"],
    ["NEXT_PUBLIC_TUNNEL", "a/b", "must be 1 to 64 letters"],
    ["NEXT_DEPLOYMENT_ID", "v1.2", "must be 1 to 64 letters"],
    ["NEXT_PUBLIC_TUNNEL", "metrics", "is the name of another API route"],
    ["NEXT_PUBLIC_TUNNEL", "health", "is the name of another API route"],
  ])("%s=%s", (name, value, fault) => {
    expect(() => readBuildConfig({ [name]: value }, apiNames())).toThrow(fault);
    expect(() => readBuildConfig({ [name]: value }, apiNames())).toThrow(`${name}=`);
  });
});

test("SOURCE_MAPS=yes is refused", () => {
  expect(() => readUploadConfig({ SOURCE_MAPS: "yes" })).toThrow('must be "on" or "off"');
});

test("where nothing was built yet, the build is called development", () => {
  expect(buildId("/nowhere")).toBe("development");
});

test.each([
  ["deployment-1", "deployment-1"],
  ["", undefined],
])(
  "a build keeps the deployment it was made for (%j), whatever the environment says",
  (built, kept) => {
    const files = JSON.stringify({ config: { deploymentId: built } });
    const folder = temporaryFolder({ "required-server-files.json": files });
    const env = { NEXT_DEPLOYMENT_ID: "another" };
    expect(keepDeploymentId(folder, env)).toBe(kept);
    expect(env.NEXT_DEPLOYMENT_ID).toBe(built);
  },
);
