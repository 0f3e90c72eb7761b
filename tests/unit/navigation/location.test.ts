import { describe, expect, onTestFinished, test, vi } from "vitest";
import { defaultLocale, locales } from "@/lib/messages/locales";
import { addressesOf, localeOf, localized, urlOf } from "@/lib/navigation/location";
import { localePrefix, otherLocale } from "@/tests/support/languages";

describe("urlOf", () => {
  describe.each(locales)("in %s", (locale) => {
    const prefix = localePrefix(locale);

    test.each([
      ["/", prefix || "/"],
      ["/?a=1", `${prefix || "/"}?a=1`],
      ["/#b/", `${prefix || "/"}#b/`],
      ["/server?a=b/", `${prefix}/server?a=b/`],
      ["/dynamic/a%2Fb?x=1#y", `${prefix}/dynamic/a%2Fb?x=1#y`],
    ])("%s is %s, and its language is found again", (path, url) => {
      expect(urlOf({ path, locale })).toBe(url);
      expect(localeOf(new URL(url, "https://a.test").pathname)).toBe(locale);
    });
  });

  test("an API route has no language", () => {
    expect(urlOf({ path: "/api/echo/x?y=1", locale: otherLocale })).toBe("/api/echo/x?y=1");
    expect(urlOf({ path: "/apiary", locale: otherLocale })).toBe(
      `${localePrefix(otherLocale)}/apiary`,
    );
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
  return import("@/lib/navigation/location");
}

const otherPrefix = localePrefix(otherLocale);

describe("localized", () => {
  test.each([
    ["/", defaultLocale, "/"],
    ["/", otherLocale, otherPrefix || "/"],
    ["/?a=1", otherLocale, `${otherPrefix || "/"}?a=1`],
    ["/server", undefined, "/server"],
    ["/server", "xx", "/server"],
    ["/reports?view=feedback", otherLocale, `${otherPrefix}/reports?view=feedback`],
    ["/api/echo/x", otherLocale, "/api/echo/x"],
  ])("%s in %s is %s", (path, locale, expected) => {
    expect(localized(path, locale)).toBe(expected);
  });

  test("leaves the base path to Next; urlOf puts it in front", async () => {
    const location = await locationUnderBasePath();
    expect(location.localized("/", otherLocale)).toBe(otherPrefix || "/");
    expect(location.localized("/server", defaultLocale)).toBe("/server");
    expect(location.urlOf({ path: "/", locale: otherLocale })).toBe(`/shell${otherPrefix}`);
    expect(location.urlOf({ path: "/?a=1", locale: defaultLocale })).toBe("/shell?a=1");
  });
});

test("search engines are told a page's address in its language, and in each, without the query", () => {
  const origin = "https://www.example.com";
  const { canonical, alternates } = addressesOf(origin, "/server?a=1#b", otherLocale);
  expect(canonical).toBe(`${origin}${localePrefix(otherLocale)}/server`);
  const each = locales.map((locale) => [locale, `${origin}${localePrefix(locale)}/server`]);
  expect(alternates).toEqual(
    locales.length > 1 ? { ...Object.fromEntries(each), "x-default": `${origin}/server` } : {},
  );
});
