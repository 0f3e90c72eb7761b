import { describe, expect, onTestFinished, test, vi } from "vitest";
import { dataUrlOf, localized, placeOf, urlOf } from "@/lib/routes/location";
import { paramsOf } from "@/lib/routes/pattern.js";
import { href } from "@/lib/routes/routes";

describe("urlOf and placeOf", () => {
  test.each([
    ["/", "en", "/"],
    ["/", "de", "/de"],
    ["/?a=1", "ar", "/ar?a=1"],
    ["/server?a=b/", "en", "/server?a=b/"],
    ["/#b/", "de", "/de#b/"],
    ["/dynamic/a%2Fb?x=1#y", "de", "/de/dynamic/a%2Fb?x=1#y"],
  ] as const)("%s in %s is %s, and back", (path, locale, url) => {
    expect(urlOf({ path, locale })).toBe(url);
    expect(placeOf(new URL(url, "https://a.test"))).toEqual({ path, locale });
  });

  test("an API route has no language, and is not the router's", () => {
    expect(urlOf({ path: "/api/echo/x?y=1", locale: "ar" })).toBe("/api/echo/x?y=1");
    expect(placeOf(new URL("https://a.test/api"))).toBeUndefined();
    expect(placeOf(new URL("https://a.test/api/echo/x"))).toBeUndefined();
    expect(placeOf(new URL("https://a.test/apiary"))?.path).toBe("/apiary");
  });
});

/** The module as a build with the base path `/shell` has it. */
async function locationUnderBasePath() {
  vi.stubEnv("NEXT_PUBLIC_BASE_PATH", "/shell");
  vi.resetModules();
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.resetModules();
  });
  return import("@/lib/routes/location");
}

describe("localized", () => {
  test.each([
    ["/", "en", "/"],
    ["/", "de", "/de"],
    ["/?a=1", "de", "/de?a=1"],
    ["/server", undefined, "/server"],
    ["/server", "xx", "/server"],
    ["/reports?view=feedback", "ar", "/ar/reports?view=feedback"],
    ["/api/echo/x", "de", "/api/echo/x"],
  ])("%s in %s is %s", (path, locale, expected) => {
    expect(localized(path, locale)).toBe(expected);
  });

  test("leaves the base path to Next; urlOf puts it in front", async () => {
    const location = await locationUnderBasePath();
    expect(location.localized("/", "de")).toBe("/de");
    expect(location.localized("/server", "en")).toBe("/server");
    expect(location.urlOf({ path: "/", locale: "de" })).toBe("/shell/de");
    expect(location.urlOf({ path: "/?a=1", locale: "en" })).toBe("/shell?a=1");
  });
});

describe("dataUrlOf", () => {
  test.each([
    ["/", "en", "/_next/data/b1/en.json"],
    ["/?a=1#x", "de", "/_next/data/b1/de.json?a=1"],
    ["/static/", "de", "/_next/data/b1/de/static.json"],
    ["/dynamic/a%2Fb?x=/y/#z", "en", "/_next/data/b1/en/dynamic/a%2Fb.json?x=/y/"],
  ] as const)("the data of %s in %s is at %s", (path, locale, expected) => {
    expect(dataUrlOf("b1", { path, locale })).toBe(expected);
  });

  test("has the base path in front, for the index page too", async () => {
    const location = await locationUnderBasePath();
    expect(location.dataUrlOf("b1", { path: "/", locale: "en" })).toBe(
      "/shell/_next/data/b1/en.json",
    );
    expect(location.dataUrlOf("b1", { path: "/reports?page=2", locale: "ar" })).toBe(
      "/shell/_next/data/b1/ar/reports.json?page=2",
    );
  });
});

describe("href and paramsOf", () => {
  test("encode and decode each segment", () => {
    const path = ["a b", "c/d", "ü", "%", "[x]"] as const;
    const url = href("/catch-all/[...path]", { path: [...path] });
    expect(url).toBe("/catch-all/a%20b/c%2Fd/%C3%BC/%25/%5Bx%5D");
    expect(paramsOf("/catch-all/[...path]", `${url}?path=no`)).toEqual({ path: [...path] });
  });

  test("an optional catch-all may have none", () => {
    expect(href("/optional/[[...path]]", {})).toBe("/optional");
    expect(paramsOf("/optional/[[...path]]", "/optional?path=no")).toEqual({});
  });
});
