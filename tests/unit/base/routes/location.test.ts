import { describe, expect, onTestFinished, test, vi } from "vitest";
import { dataUrlOf, patternOf } from "@/lib/base/routes/location";
import { sortPatterns } from "@/lib/base/routes/pattern";
import { locales } from "@/lib/site/messages/locales";
import { app } from "@/reporting.config";

vi.mock("@/lib/site/routes/table", () => import("@/tests/fixtures/routes/table"));

const pages = sortPatterns(app.pages);

describe("patternOf", () => {
  test.each([
    ["/", "/"],
    ["/static", "/static"],
    ["/dynamic/a-1", "/dynamic/[id]"],
    ["/catch-all/one/two", "/catch-all/[...path]"],
    ["/optional", "/optional/[[...path]]"],
    ["/optional/one/two", "/optional/[[...path]]"],
    ["/failures/client-event", "/failures/client-event"],
    // As with trailingSlash.
    ["/static/", "/static"],
    ["/dynamic/a-1/", "/dynamic/[id]"],
  ])("finds what answers %s", (path, pattern) => {
    expect(patternOf(new URL(path, "https://a.test"), pages)).toBe(pattern);
  });

  test.each(["/nope", "/dynamic", "/dynamic/a/b", "/catch-all", "/optionally", "/static/x"])(
    "finds nothing for %s",
    (path) => {
      expect(patternOf(new URL(path, "https://a.test"), pages)).toBeUndefined();
    },
  );
});

describe.each(locales)("dataUrlOf in %s", (locale) => {
  const several = locales.length > 1;
  const folder = several ? `/${locale}` : "";

  test.each([
    ["/", several ? `/_next/data/b1/${locale}.json` : "/_next/data/b1/index.json"],
    ["/?a=1#x", several ? `/_next/data/b1/${locale}.json?a=1` : "/_next/data/b1/index.json?a=1"],
    ["/static/", `/_next/data/b1${folder}/static.json`],
    ["/dynamic/a%2Fb?x=/y/#z", `/_next/data/b1${folder}/dynamic/a%2Fb.json?x=/y/`],
  ])("the data of %s is at %s", (path, expected) => {
    expect(dataUrlOf("b1", { path, locale })).toBe(expected);
  });

  test("has the base path in front", async () => {
    vi.stubEnv("NEXT_PUBLIC_BASE_PATH", "/shell");
    vi.resetModules();
    onTestFinished(() => {
      vi.unstubAllEnvs();
      vi.resetModules();
    });
    const location = await import("@/lib/base/routes/location");
    expect(location.dataUrlOf("b1", { path: "/reports?page=2", locale })).toBe(
      `/shell/_next/data/b1${folder}/reports.json?page=2`,
    );
  });
});
