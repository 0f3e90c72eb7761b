import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readResults } from "@/tests/support/test-results";

/** Below the project, so that the installed tools are found. */
const parent = ".next-variants";

/** Runs a tool on some test files, with its own report as JSON. Gives its exit code too. */
function run(tool: "vitest" | "playwright", files: Record<string, string>, ...args: string[]) {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "reporter-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const path = resolve(folder, "results.json");
  const reporter = ["--reporter=json", ...(tool === "vitest" ? [`--outputFile.json=${path}`] : [])];
  const command = ["exec", "--", tool, ...args, ...reporter];
  // Not what this Vitest has set for its own workers.
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, NODE_ENV: "test" as const, PLAYWRIGHT_JSON_OUTPUT_FILE: path };
  const { status } = spawnSync("npm", command, { cwd: folder, env });
  const { faults = [], ...counts } = readResults(path, status ?? 1);
  return { status, counts, faults };
}

test("Vitest's tests are counted, and whatever failed is named with its reason", () => {
  const { counts, faults } = run(
    "vitest",
    {
      "vitest.config.js": "export default { test: { globals: true } };",
      "a.test.js": `
        test("passes", () => {});
        test.skip("is skipped", () => {});
        test("compares", () => expect({ sum: 1 }).toEqual({ sum: 2 }));
        test("throws an object", () => { throw { code: 7 }; });
        test("hangs", () => new Promise(() => {}), 20);`,
      "hook.test.js": `
        beforeAll(() => { throw new Error("no hook"); });
        test("in it", () => {});`,
      "broken.test.js": `import "./missing.js";`,
    },
    "run",
  );
  const named = (start: string) => faults.find((fault) => fault.includes(start));
  expect(named("a.test.js › compares")).toContain("expected { sum: 1 } to deeply equal");
  expect(named("a.test.js › throws an object")).toBeDefined();
  expect(named("a.test.js › hangs")).toContain("timed out in 20ms");
  expect(named("hook.test.js")).toContain("no hook");
  expect(named("broken.test.js")).toContain("./missing.js");
  expect(counts).toEqual({ passed: 1, failed: 5, skipped: 2 });
});

test("what Vitest's report does not name counts as a failed test", () => {
  const { counts } = run(
    "vitest",
    {
      "vitest.config.js": "export default { test: { globals: true } };",
      "a.test.js": `test("one", () => { void Promise.reject(new Error("nobody catches it")); });`,
    },
    "run",
  );
  expect(counts).toMatchObject({ passed: 1, failed: 1 });
});

test.each([
  ["passed", "toBe(1)", 0],
  ["failed", "toBe(2)", 1],
])("a run beside the shared Postgres that has %s ends with that exit code", (_, matcher, code) => {
  const { status, counts } = run(
    "vitest",
    {
      "vitest.config.js": `
        export default { test: { globals: true, globalSetup: ["${resolve("tests/support/shared-postgres.ts")}"] } };`,
      "a.test.js": `test("one", () => expect(1).${matcher});`,
    },
    "run",
  );
  expect(counts).toMatchObject({ passed: 1 - code, failed: code });
  expect(status).toBe(code);
});

test("Playwright's tests are counted, and whatever failed is named with its reason", () => {
  const { counts, faults } = run(
    "playwright",
    {
      "playwright.config.js": `
        export default { projects: [{ name: "one" }], timeout: 300, workers: 1 };`,
      "a.spec.js": `
        import { test, expect } from "playwright/test";
        test("passes", () => {});
        test.skip("is skipped", () => {});
        test.describe("group", () => {
          test("compares", () => expect(1).toBe(2));
          test("hangs", () => new Promise(() => {}));
        });
        test.describe(() => {
          test.describe.configure({ retries: 1 });
          test("passes at last", ({}, { retry }) => expect(retry).toBe(1));
        });`,
    },
    "test",
  );
  const named = (title: string) => faults.find((fault) => fault.includes(title));
  expect(named("group › compares")).toMatch(/^✘ \[one\] .*a\.spec\.js:6 › [\s\S]*Expected: 2/);
  expect(named("group › hangs")).toContain("Test timeout of 300ms exceeded");
  expect(named("passes at last")).toContain("Received: 0");
  expect(counts).toEqual({ passed: 1, failed: 3, skipped: 1 });
});

test("a file that Playwright can't load is named", () => {
  const { counts, faults } = run(
    "playwright",
    {
      "playwright.config.js": "export default {};",
      "broken.spec.js": `import "./missing.js";`,
    },
    "test",
  );
  expect(faults[0]).toMatch(/^✘ outside any test\n.*missing\.js/);
  expect(counts).toMatchObject({ passed: 0, failed: faults.length });
});
