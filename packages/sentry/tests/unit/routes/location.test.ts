import { describe, expect, test } from "vitest";
import { type App, patternOf, placeOf } from "@/packages/sentry/src/shared/routes/location";
import { matcherOf } from "@/packages/sentry/src/shared/routes/pattern";

const app: App = {
  basePath: "",
  locales: ["en", "de"],
  // As Next has them in its manifests.
  patterns: [
    "/",
    "/static",
    "/failures/client-event",
    "/catch-all/[...path]",
    "/dynamic/[id]",
    "/optional/[[...path]]",
  ],
};

describe("patternOf", () => {
  test.each([
    ["/", "/"],
    ["/static", "/static"],
    ["/dynamic/a-1", "/dynamic/[id]"],
    ["/catch-all/one/two", "/catch-all/[...path]"],
    ["/optional", "/optional/[[...path]]"],
    ["/optional/one/two", "/optional/[[...path]]"],
    ["/failures/client-event", "/failures/client-event"],
    ["/de/dynamic/a-1", "/dynamic/[id]"],
    // Next's `trailingSlash`.
    ["/dynamic/a-1/?x=1", "/dynamic/[id]"],
  ])("finds what answers %s", (path, pattern) => {
    expect(patternOf(app, new URL(path, "https://a.test"))).toBe(pattern);
  });

  test.each(["/nope", "/dynamic", "/dynamic/a/b", "/catch-all", "/optionally", "/static/x"])(
    "finds nothing for %s",
    (path) => {
      expect(patternOf(app, new URL(path, "https://a.test"))).toBeUndefined();
    },
  );
});

test("an API route, and what is outside the base path, is no page", () => {
  for (const url of ["/shop/api", "/shop/api/x", "/elsewhere", "/shop//x"]) {
    expect(placeOf({ ...app, basePath: "/shop" }, new URL(url, "https://a.test"))).toBeUndefined();
  }
});

describe("matcherOf", () => {
  test.each([
    ["/", "/"],
    ["/a.b", "/a.b"],
    ["/[a]/x", "/1/x"],
    ["/[[...a]]", ""],
    ["/[[...a]]", "/x/y"],
    ["/[a]", "/1/"],
  ])("%s matches %j", (pattern, path) => {
    expect(matcherOf(pattern).test(path)).toBe(true);
  });

  test.each([
    ["/", "/a"],
    ["/a.b", "/axb"],
    ["/[a]", "/1/x"],
    ["/[...a]", "/"],
  ])("%s does not match %j", (pattern, path) => {
    expect(matcherOf(pattern).test(path)).toBe(false);
  });
});
