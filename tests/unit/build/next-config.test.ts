import { expect, test } from "vitest";
import refuseConversion from "@/lib/build/image-loader";
import config from "@/next.config.js";

test("a webpack build is refused", async () => {
  const { webpack } = await config("phase-production-build");
  expect(webpack).toThrow("Build without --webpack");
});

test("an image that would have to be converted is refused", () => {
  expect(() => refuseConversion({ src: "/photo.jpg" })).toThrow(
    'next/image can\'t convert /photo.jpg: the converter is left out of the output. Give the image the attribute "unoptimized"',
  );
});
