import { describe, expect, test } from "vitest";
import { isNoise } from "@/lib/sentry/browser/first-load/noise";

function thrown(type: string, value: string, ...files: string[]) {
  const frames = files.map((filename) => ({ filename }));
  const mechanism = { type: "auto.browser.global_handlers.onerror" };
  return { type, value, mechanism, stacktrace: { frames } };
}

const own = "https://example.com/_next/static/chunks/a.js";

describe("is noise", () => {
  test.each([
    ["an extension's error", thrown("Error", "x", own, "chrome-extension://abc/inject.js")],
    ["a Firefox extension's error", thrown("Error", "x", "moz-extension://abc/inject.js")],
    ["a Safari extension's error", thrown("Error", "x", "safari-web-extension://abc/a.js")],
    ["an aborted fetch", thrown("AbortError", "The user aborted a request.", own)],
    ["an aborted fetch as the SDK words it", thrown("Error", "AbortError: signal is aborted", own)],
    ["what a foreign script has thrown", thrown("Error", "Script error.")],
    ["a resize notice", thrown("Error", "ResizeObserver loop limit exceeded")],
    ["a cancelled navigation", thrown("Error", "Route Cancelled", own)],
    ["a given-up page chunk", thrown("Error", 'Abort fetching component for route: "/a"', own)],
    ["given-up page data", thrown("Error", "Loading initial props cancelled", own)],
  ])("%s", (_name, event) => {
    expect(isNoise(event)).toBe(true);
  });

  test("whatever the router marked as cancelled", () => {
    const error = Object.assign(new Error("x"), { cancelled: true });
    expect(isNoise(thrown("Error", "x", own), error)).toBe(true);
  });
});

test.each([
  ["Chromium", "Error: x\n    at f (chrome-extension://a/b.js:1:2)\n    at https://a.b/c.js:3:4"],
  ["Firefox", "f@moz-extension://a/b.js:1:2\ng@https://a.b/c.js:3:4"],
  ["Safari", "f@safari-web-extension://a/b.js:1:2"],
])("an extension's error, as the page tells it in %s", (_browser, stack) => {
  const [type, value, mechanism] = ["Error", "x", { type: "auto.browser.global_handlers.onerror" }];
  expect(isNoise({ type, value, mechanism, stack })).toBe(true);
  const inner = `h@${own}:5:6\n${stack}`;
  expect(isNoise({ type, value, mechanism, stack: inner })).toBe(false);
});

describe("is news", () => {
  test.each([
    ["an own error", thrown("TypeError", "x is not a function", own)],
    [
      "an own error that an extension's code called",
      thrown("Error", "x", "chrome-extension://a/b.js", own),
    ],
    ["a failed load of static props", thrown("Error", "Failed to load static props", own)],
    ["an error without a stack", { type: "Error", value: "x" }],
    ["a message", {}],
    [
      "an aborted fetch that the app itself reports",
      { type: "AbortError", value: "x", mechanism: { type: "generic" } },
    ],
  ])("%s", (_name, event) => {
    expect(isNoise(event)).toBe(false);
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
