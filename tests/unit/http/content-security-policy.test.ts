import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { contentSecurityPolicy } from "@/lib/http/content-security-policy";

/** The policy's directives, each with its values. */
function directives(inlineScripts: string[], development = false): Record<string, string[]> {
  const parts = contentSecurityPolicy(inlineScripts, development).split("; ");
  return Object.fromEntries(
    parts.map((part) => {
      const [name = "", ...values] = part.split(" ");
      return [name, values];
    }),
  );
}

test("in production, scripts run by file or hash alone", () => {
  const script = "self.x = 1";
  const hash = createHash("sha256").update(script).digest("base64");
  expect(directives([script])["script-src"]).toEqual(["'self'", `'sha256-${hash}'`]);
  expect(directives([])["script-src"]).toEqual(["'self'"]);
});

test("style attributes are allowed, style elements by file alone", () => {
  expect(directives([])).toMatchObject({
    "style-src": ["'self'"],
    "style-src-attr": ["'unsafe-inline'"],
  });
});

test("development may evaluate scripts and inject styles, but load neither from elsewhere", () => {
  expect(directives(["x"], true)).toMatchObject({
    "default-src": ["'self'"],
    "script-src": ["'self'", "'unsafe-eval'", "'unsafe-inline'"],
    "style-src": ["'self'", "'unsafe-inline'"],
  });
});
