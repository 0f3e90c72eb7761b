import { describe, expect, test } from "vitest";
import { isNoise } from "@/packages/sentry/src/browser/first-load/noise";

/** @param files of the stack's lines, as Chromium writes them */
function thrown(type: string, value: string, ...files: string[]) {
  const lines = files.map((file) => `    at f (${file}:1:2)`);
  return { type, value, stack: [`${type}: ${value}`, ...lines].join("\n") };
}

const own = "https://example.com/_next/static/chunks/a.js";

describe("is noise", () => {
  test.each([
    ["an extension's error", thrown("Error", "x", "chrome-extension://abc/inject.js")],
    ["an aborted fetch", thrown("AbortError", "The user aborted a request.", own)],
    ["what a foreign script has thrown", thrown("Error", "Script error.")],
    ["one that Firefox has aborted", thrown("AbortError", "The operation was aborted. ")],
    [
      "a resize notice",
      thrown("Error", "ResizeObserver loop completed with undelivered notifications."),
    ],
  ])("%s", (_name, event) => {
    expect(isNoise(event, new Error())).toBe(true);
  });

  test.each([
    "Route Cancelled",
    "Cancel rendering route",
    "Loading initial props cancelled",
    'Abort fetching component for route: "/a"',
  ])("a navigation that the router marked as cancelled: %s", (words) => {
    const error = Object.assign(new Error(words), { cancelled: true });
    expect(isNoise(thrown("Error", words, own), error)).toBe(true);
    expect(isNoise(thrown("Error", words, own), new Error(words))).toBe(false);
    expect(isNoise(thrown("Error", "x", own), error)).toBe(false);
  });

  test.each([
    ["Firefox", "f@moz-extension://a/b.js:1:2\ng@moz-extension://a/c.js:3:4"],
    ["Safari", "f@safari-web-extension://a/b.js:1:2"],
  ])("an extension's error, as %s tells it", (_browser, stack) => {
    const words = { type: "Error", value: "x" };
    expect(isNoise({ ...words, stack }, new Error())).toBe(true);
    // As where an extension has put itself in place of `fetch`.
    expect(isNoise({ ...words, stack: `${stack}\nh@${own}:5:6` }, new Error())).toBe(false);
  });
});

describe("is news", () => {
  test.each([
    ["an own error", thrown("TypeError", "x is not a function", own)],
    [
      "an own error that an extension's code called",
      thrown("Error", "x", own, "chrome-extension://a/b.js"),
    ],
    [
      "a write to IndexedDB that is lost",
      thrown("AbortError", "The transaction was aborted, so the request cannot be fulfilled."),
    ],
    ["an AbortError of the app's own", thrown("AbortError", "sync stopped", own)],
    ["an older browser's resize notice", thrown("Error", "ResizeObserver loop limit exceeded")],
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
    expect(isNoise(thrown("Error", "Route Cancelled", own), { cancelled: false })).toBe(false);
  });
});
