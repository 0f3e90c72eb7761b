import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { contentSecurityPolicy, scriptlessPolicy } from "@/lib/policy/content-security-policy";

type Allowed = Parameters<typeof contentSecurityPolicy>[2];

/** The policy's directives, each with its sources. */
function directives(
  inlineScripts: string[],
  hotReloadNonce?: string,
  allowed: Allowed = {},
): Record<string, string[]> {
  const parts = contentSecurityPolicy(inlineScripts, hotReloadNonce, allowed).split("; ");
  return Object.fromEntries(
    parts.map((part) => {
      const [name = "", ...sources] = part.split(" ");
      return [name, sources];
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

test("development differs by what hot reloading needs, and by nothing else", () => {
  const production = directives(["x"]);
  expect(directives(["x"], "n")).toEqual({
    ...production,
    "script-src": [...(production["script-src"] ?? []), "'nonce-n'", "'unsafe-eval'"],
    "style-src": ["'self'", "'unsafe-inline'"],
  });
});

test("a page that runs no script may have what it names, and nothing else", () => {
  expect(scriptlessPolicy({ "style-src": ["'self'"], "form-action": ["'self'"] })).toBe(
    "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; style-src 'self'",
  );
});

test("what a team allows is added to what the directive or default-src allows", () => {
  expect(
    directives(["x"], undefined, {
      "img-src": ["https://images.example"],
      "connect-src": ["https://api.example", "wss://api.example"],
    }),
  ).toEqual({
    ...directives(["x"]),
    "img-src": ["'self'", "data:", "https://images.example"],
    "connect-src": ["'self'", "https://api.example", "wss://api.example"],
  });
});
