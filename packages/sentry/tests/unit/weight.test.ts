import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, minifySync } from "vite";
import { expect, test } from "vitest";

const entry = "\0entry";

/** What an app's browser code with these lines weighs beside Next, React and what comes late; in bytes, gzipped. */
async function weightOf(lines: string): Promise<number> {
  const built = await build({
    configFile: false,
    logLevel: "silent",
    // As a build of Next's has them, with `withSentryConfig`.
    define: {
      "process.env.NODE_ENV": '"production"',
      "process.env._sentryTunnelPath": '"/api/relay"',
      "process.env.__NEXT_ROUTER_BASEPATH": '""',
    },
    plugins: [
      {
        name: "entry",
        enforce: "pre",
        resolveId: (id) => (id.endsWith("app-of-init") ? entry : undefined),
        load: (id) => (id === entry ? lines : undefined),
      },
    ],
    build: {
      write: false,
      minify: false,
      target: "esnext",
      lib: { entry: "app-of-init", formats: ["es"] },
      rolldownOptions: { external: [/^next\//, /^react/, /sdk\/start\.ts$/] },
    },
  });
  const [bundle] = Array.isArray(built) ? built : [];
  const code = bundle?.output[0].code ?? "";
  expect(code).toContain("securitypolicyviolation");
  return gzipSync(minifySync("init.js", code).code).length;
}

const browserHalf = join(import.meta.dirname, "../../src/index.browser.ts");

// In a whole app it is about as much: `npm run bench -- bytes` builds one.
test("a page that calls init alone carries at most 5.0 kB of this package", async () => {
  const imported = `import * as Sentry from ${JSON.stringify(browserHalf)};`;
  expect(await weightOf(`${imported} Sentry.init({});`)).toBeLessThanOrEqual(5000);
});
