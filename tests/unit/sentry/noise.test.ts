import { describe, expect, test } from "vitest";
import { isNoise } from "@/lib/sentry/browser/first-load/noise";

/** @param files of the stack's lines, as Chromium writes them */
function thrown(type: string, value: string, ...files: string[]) {
  const lines = files.map((file) => `    at f (${file}:1:2)`);
  return { type, value, stack: [`${type}: ${value}`, ...lines].join("\n") };
}

const own = "https://example.com/_next/static/chunks/a.js";

describe("is noise", () => {
  test.each([
    ["an extension's error", thrown("Error", "x", "chrome-extension://abc/inject.js", own)],
    ["an aborted fetch", thrown("AbortError", "The user aborted a request.", own)],
    ["what a foreign script has thrown", thrown("Error", "Script error.")],
    ["a resize notice", thrown("Error", "ResizeObserver loop limit exceeded")],
    ["a cancelled navigation", thrown("Error", "Route Cancelled", own)],
    ["a given-up page chunk", thrown("Error", 'Abort fetching component for route: "/a"', own)],
    ["given-up page data", thrown("Error", "Loading initial props cancelled", own)],
  ])("%s", (_name, event) => {
    expect(isNoise(event, new Error())).toBe(true);
  });

  test("whatever the router marked as cancelled", () => {
    const error = Object.assign(new Error("x"), { cancelled: true });
    expect(isNoise(thrown("Error", "x", own), error)).toBe(true);
  });

  test.each([
    ["Firefox", "f@moz-extension://a/b.js:1:2\ng@https://a.b/c.js:3:4"],
    ["Safari", "f@safari-web-extension://a/b.js:1:2"],
  ])("an extension's error, as %s tells it", (_browser, stack) => {
    const words = { type: "Error", value: "x" };
    expect(isNoise({ ...words, stack }, new Error())).toBe(true);
    expect(isNoise({ ...words, stack: `h@${own}:5:6\n${stack}` }, new Error())).toBe(false);
  });
});

describe("is news", () => {
  test.each([
    ["an own error", thrown("TypeError", "x is not a function", own)],
    [
      "an own error that an extension's code called",
      thrown("Error", "x", own, "chrome-extension://a/b.js"),
    ],
    ["a failed load of static props", thrown("Error", "Failed to load static props", own)],
    ["an error without a stack", { type: "Error", value: "x", stack: "" }],
  ])("%s", (_name, event) => {
    expect(isNoise(event, new Error())).toBe(false);
  });

  test("what can't be read", () => {
    const refuse = () => {
      throw new Error();
    };
    const hostile = new Proxy({}, { get: refuse, has: refuse });
    expect(isNoise(thrown("Error", "x", own), hostile)).toBe(false);
  });

  test("an error whose `cancelled` says no", () => {
    expect(isNoise(thrown("Error", "x", own), { cancelled: false })).toBe(false);
  });
});
