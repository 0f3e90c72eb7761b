import { expect, test, vi } from "vitest";
import { dataUrl } from "@/lib/server/generate-on-miss";

vi.mock("@/lib/config/build.js", () => ({ buildId: () => "build" }));

test.each([
  ["/incremental/x", "/_next/data/build/en/incremental/x.json"],
  ["/de/incremental/a%20b?q=1", "/_next/data/build/de/incremental/a%20b.json"],
])("the data of %s is at %s", (url, data) => {
  expect(dataUrl(url)).toBe(data);
});

test.each([
  "/static",
  "/server",
  "/_next/data/build/en/incremental/x.json",
  "/api/x",
  "//[/incremental/x",
])("%s asks for no incremental page", (url) => {
  expect(dataUrl(url)).toBeUndefined();
});
