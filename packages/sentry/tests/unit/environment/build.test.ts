import { expect, test } from "vitest";
import { buildId, readUploadConfig } from "@/packages/sentry/src/shared/environment/build";

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

test("SOURCE_MAPS=yes is refused", () => {
  expect(() => readUploadConfig({ SOURCE_MAPS: "yes" })).toThrow('must be "on" or "off"');
});

test("where nothing was built yet, the build is called development", () => {
  expect(buildId("/nowhere")).toBe("development");
});
