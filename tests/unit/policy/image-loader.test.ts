import { afterEach, expect, test, vi } from "vitest";
import refuseConversion from "@/lib/policy/image-loader";
import config from "@/next.config.js";

test("a webpack build is refused", async () => {
  const { webpack } = await config("phase-production-build");
  expect(webpack).toThrow("Build without --webpack");
});

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each([
  ["development", ""],
  ["production", "phase-production-build"],
])("an image that would have to be converted is refused in %s %s", (environment, phase) => {
  vi.stubEnv("NODE_ENV", environment);
  vi.stubEnv("NEXT_PHASE", phase);
  expect(() => refuseConversion({ src: "/photo.jpg" })).toThrow(
    'next/image can\'t convert /photo.jpg: the converter is left out of the output. Give the image the attribute "unoptimized"',
  );
});

test("a visitor sees an image as it is where no build has rendered its page", () => {
  vi.stubEnv("NODE_ENV", "production");
  expect(refuseConversion({ src: "/photo.jpg" })).toBe("/photo.jpg");
});
