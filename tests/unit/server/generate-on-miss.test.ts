import { expect, test, vi } from "vitest";
import { dataUrl } from "@/lib/server/generate-on-miss";

const buildId = vi.hoisted(() => vi.fn(() => "build"));

vi.mock("@/lib/routes/table.js", () => import("@/tests/fixtures/table.js"));
vi.mock("@/lib/config/build.js", () => ({ buildId }));

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

test("the build's id is read once, not for each request", () => {
  for (let n = 0; n < 3; n += 1) dataUrl(`/incremental/${n}`);
  expect(buildId).toHaveBeenCalledTimes(1);
});
