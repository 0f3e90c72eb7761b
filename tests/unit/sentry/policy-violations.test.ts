import { beforeEach, expect, test, vi } from "vitest";

let module: typeof import("@/lib/sentry/src/browser/first-load/policy-violations");

beforeEach(async () => {
  vi.resetModules();
  module = await import("@/lib/sentry/src/browser/first-load/policy-violations");
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
    fingerprint: ["CSPViolation", "img-src", "https://a.example:8443"],
    stack: "CSPViolation\n    at https://own.example/a.js:3:14",
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

test.each([
  ["chrome-extension", ""],
  ["chrome-extension://abc/x.js", ""],
  ["moz-extension", ""],
  ["safari-web-extension", ""],
  ["inline", "chrome-extension"],
  ["eval", "moz-extension://abc/x.js"],
])("%s blocked in %j comes from an extension, and counts for nothing", (blocked, sourceFile) => {
  for (let i = 0; i < 9; i++) {
    expect(module.violationToReport(violation(blocked, { sourceFile }))).toBeUndefined();
  }
  expect(module.violationToReport(violation("https://a.example/"))).toBeDefined();
});
