import { describe, expect, test } from "vitest";
import { placeOf, urlOf } from "@/lib/routes/location";
import { paramsOf } from "@/lib/routes/pattern.js";
import { href } from "@/lib/routes/routes";

describe("urlOf and placeOf", () => {
  test.each([
    ["/", "en", "/"],
    ["/", "de", "/de"],
    ["/?a=1", "ar", "/ar?a=1"],
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
