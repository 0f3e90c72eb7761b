import { expect, test } from "vitest";
import { configWith, tsconfigWith } from "@/scripts/adopt-texts";

test.each([
  ["none", '{ "compilerOptions": {} }', '"paths": { "@/*": ["./src/*"] }'],
  [
    "others",
    '{ "compilerOptions": { "paths": { "~/*": ["./src/*"] } } }',
    '"@/*": ["./src/*"], "~/*"',
  ],
  ["one that leads elsewhere", '{ "paths": { "@/*": ["./*"] } }', '"@/*": ["./src/*", "./*"]'],
  [
    "one without a dot",
    '{ "baseUrl": ".", "paths": { "@/*": ["src/*"] } }',
    '{ "@/*": ["src/*"] }',
  ],
  ["one from src/", '{ "baseUrl": "src", "paths": { "@/*": ["./*"] } }', '{ "@/*": ["./*"] }'],
])("of paths with %s, @/ leads to src/", (_what, text, expected) => {
  const left: string[] = [];
  expect(tsconfigWith(text, "src/", left)).toContain(expected);
  expect(left).toEqual([]);
});

test("paths that come from another file are left to do", () => {
  const left: string[] = [];
  const text = '{ "extends": "../base.json", "compilerOptions": {} }';
  expect(tsconfigWith(text, "", left)).not.toContain("paths");
  expect(left).toEqual([expect.stringContaining('needs "@/*": ["./*"]')]);
});

const wizards = `{
  // Route browser requests
  tunnelRoute: "/monitoring",
  webpack: { treeshake: { removeDebugLogging: true } },
}`;

test.each([
  [
    'import { withSentryConfig } from "@sentry/nextjs/config";\nconst a = {};\nexport default withSentryConfig(a, OPTIONS);\n',
    "FROM\nconst a = {};\nexport default withReporting(a);\n",
  ],
  [
    'const { withSentryConfig } = require("@sentry/nextjs/config");\nconst a = {};\nmodule.exports = withSentryConfig(a, OPTIONS);\n',
    "REQUIRED\nconst a = {};\nmodule.exports = withReporting(a);\n",
  ],
  [
    'module.exports = {\n  a: 1,\n};\n\n// Injected content via Sentry wizard below\n\nconst { withSentryConfig } = require("@sentry/nextjs/config");\n\nmodule.exports = withSentryConfig(module.exports, OPTIONS);\n',
    "REQUIRED\nmodule.exports = {\n  a: 1,\n};\n\nmodule.exports = withReporting(module.exports);\n",
  ],
  [
    'const a = {};\nmodule.exports = a;\nconst { withSentryConfig } = require("@sentry/nextjs");\nmodule.exports = withSentryConfig(module.exports, OPTIONS);\n',
    "REQUIRED\nconst a = {};\nmodule.exports = withReporting(a);\n",
  ],
  [
    "export default {\n  a: 1,\n} satisfies NextConfig;\n",
    "FROM\nconst ownConfig = {\n  a: 1,\n} satisfies NextConfig;\n\nexport default withReporting(ownConfig);\n",
  ],
  [
    "export default async function config(phase) {\n  return {};\n}\n",
    "FROM\nconst ownConfig = async function config(phase) {\n  return {};\n}\n\nexport default withReporting(ownConfig);\n",
  ],
  [
    "export default withSentryConfig(withMDX(a), OPTIONS);\n",
    "FROM\nexport default withReporting(withMDX(a));\n",
  ],
])("the configuration is wrapped: %j", (text, expected) => {
  expect(configWith(text.replace("OPTIONS", wizards), "./from.ts")).toBe(
    expected
      .replace("FROM", 'import { withReporting } from "./from.ts";')
      .replace("REQUIRED", 'const { withReporting } = require("./from.ts");'),
  );
});

test.each([
  "export default withSentryConfig({ a: 1 }, OPTIONS);\n",
  "const b = withSentryConfig(a, OPTIONS);\nexport default b;\n",
  "export { a as default };\n",
])("the configuration is left as it is where it can't be wrapped safely: %j", (text) => {
  expect(configWith(text.replace("OPTIONS", wizards), "./from.ts")).toBeUndefined();
});
