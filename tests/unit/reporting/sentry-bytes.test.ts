import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Rollup } from "vite";
import { expect, test } from "vitest";

const root = process.cwd();

/** The code that a page carries for these functions, beside what every page has: bytes, gzipped. */
async function bytesOf(functions: string[]): Promise<number> {
  const entry = `import * as Sentry from "@/lib/sentry/browser";
globalThis.used = [${functions.map((name) => `Sentry.${name}`)}];`;
  const { output } = (await build({
    configFile: false,
    logLevel: "silent",
    resolve: { alias: { "@": root } },
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === "entry" ? join(root, "entry.ts") : undefined),
        load: (id) => (id === join(root, "entry.ts") ? entry : undefined),
      },
    ],
    build: {
      write: false,
      minify: "oxc",
      rollupOptions: { input: "entry", external: /lib\/(reporting|envelope)\/|^react/ },
    },
  })) as Rollup.RollupOutput;
  const code = output[0].code.replace(/import(?:[^;"]*from)?\s*"[^"]*";/g, "");
  const { length } = gzipSync(code, { level: 9 });
  expect(length).toBeGreaterThan(1_000);
  return length;
}

test("what most products use of Sentry's functions weighs at most 2 kB", async () => {
  const few = ["captureException", "setUser", "setTag"];
  const more = ["captureMessage", "addBreadcrumb", "setContext", "withScope", "ErrorBoundary"];
  expect(await bytesOf(few)).toBeLessThanOrEqual(1_500);
  expect(await bytesOf([...few, ...more])).toBeLessThanOrEqual(2_000);
});
