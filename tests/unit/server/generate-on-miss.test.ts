import { expect, test, vi } from "vitest";
import { locales } from "@/lib/messages/locales";
import { dataUrlOf } from "@/lib/routes/location";
import { dataUrl } from "@/lib/server/generate-on-miss";
import { localePrefix } from "@/tests/support/languages";

const buildId = vi.hoisted(() => vi.fn(() => "build"));

vi.mock("@/lib/routes/table", () => import("@/tests/fixtures/table"));
vi.mock("@/lib/config/build", () => ({ buildId }));

test.each(locales)("the data of a page is where Next has it (%s)", (locale) => {
  const path = "/incremental/a%20b";
  expect(dataUrl(`${localePrefix(locale)}${path}?q=1`)).toBe(dataUrlOf("build", { path, locale }));
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

test("the build's id is read once, not for each request", async () => {
  vi.resetModules();
  const { dataUrl } = await import("@/lib/server/generate-on-miss");
  for (let n = 0; n < 3; n += 1) dataUrl(`/incremental/${n}`);
  expect(buildId).toHaveBeenCalledTimes(1);
});
