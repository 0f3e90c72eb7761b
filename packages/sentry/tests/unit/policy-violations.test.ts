import { beforeEach, expect, test, vi } from "vitest";

let module: typeof import("@/packages/sentry/src/browser/first-load/policy-violations");

beforeEach(async () => {
  vi.resetModules();
  module = await import("@/packages/sentry/src/browser/first-load/policy-violations");
});

function violation(blockedURI: string, more: Partial<SecurityPolicyViolationEvent> = {}) {
  return {
    effectiveDirective: "img-src",
    blockedURI,
    sourceFile: "",
    lineNumber: 0,
    columnNumber: 0,
    ...more,
  } as SecurityPolicyViolationEvent;
}

test("a violation is an error of its own kind, named by directive and blocked origin", () => {
  const error = module.violationToReport(
    violation("https://a.example:8443/person/7?token=secret", {
      sourceFile: "https://own.example/a.js",
      lineNumber: 3,
      columnNumber: 14,
    }),
  );
  expect(error).toMatchObject({
    name: "CSPViolation",
    message: "img-src blocked https://a.example:8443",
    stack: "\nat https://own.example/a.js:3:14",
  });
});

test("what has no URL is named by the browser's word for it, and has no stack", () => {
  const error = module.violationToReport(violation("inline"));
  expect(error).toMatchObject({ message: "img-src blocked inline", stack: "" });
});

test("each is reported once, and no more than five", () => {
  const report = (host: string) => module.violationToReport(violation(`https://${host}/`));
  expect(report("a.example")).toBeDefined();
  expect(report("a.example")).toBeUndefined();
  const others = Array.from({ length: 10 }, (_, i) => report(`host-${i}.example`));
  expect(others.filter((error) => error !== undefined)).toHaveLength(4);
});

test("what a policy on trial only reports is no error: nothing was blocked", () => {
  const disposition = "report";
  expect(
    module.violationToReport(violation("https://a.example/", { disposition })),
  ).toBeUndefined();
  expect(
    module.violationToReport(violation("https://a.example/", { disposition: "enforce" })),
  ).toBeDefined();
});

test.each([
  "https://a.example/x",
  "wss://a.example/x",
  "wss",
  "data",
  "data:text/html,secret",
  "blob",
  "blob:https://own.example/secret",
  "eval",
  "wasm-eval",
  "trusted-types-sink",
  "",
])("%j is blocked as the page's own, without what may be private", (blocked) => {
  const error = module.violationToReport(
    violation(blocked, { sourceFile: "https://own.example/a.js" }),
  );
  expect(error?.message).toMatch(/^img-src blocked /);
  expect(error?.message).not.toContain("secret");
});

// Known kinds: https://github.com/getsentry/sentry/issues/74828, /2442, https://github.com/report-uri/report-uri-bugs/issues/28
test.each([
  ["chrome-extension", ""],
  ["chrome-extension://abc/x.js", ""],
  ["moz-extension", ""],
  ["safari-web-extension", ""],
  ["inline", "chrome-extension"],
  ["eval", "moz-extension://abc/x.js"],
  ["inline", "safari-web-extension://abc/x.js"],
  ["inline", "user-script:2"],
  ["inline", "webkit-masked-url://hidden/"],
  ["inline", "sandbox eval code"],
  ["chrome://global/x.js", ""],
  ["resource://x/y.js", ""],
  ["about", ""],
  ["about:blank", ""],
  ["safari-resource:/x.css", ""],
  ["safari-extension://abc/x.js", ""],
  ["ms-browser-extension", ""],
  ["ms-browser-extension://abc", ""],
  ["chromenull://", ""],
  ["chromeinvoke://x", ""],
  ["opera://js-inject", ""],
  ["android-webview", ""],
  ["mxjscall://x", ""],
  ["mbinit://x", ""],
  ["none://", ""],
])(
  "%s blocked in %j comes from a browser or an extension, and counts for nothing",
  (blocked, sourceFile) => {
    for (let i = 0; i < 9; i++) {
      expect(module.violationToReport(violation(blocked, { sourceFile }))).toBeUndefined();
    }
    expect(module.violationToReport(violation("https://a.example/"))).toBeDefined();
  },
);
