import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build, transformWithOxc } from "vite";
import { expect, test } from "vitest";

const packages = join(import.meta.dirname, "../../..");

/** The files of the packages that a browser loads, at once or late. */
async function filesOfBrowsers(): Promise<string[]> {
  const files = new Set<string>();
  await build({
    configFile: false,
    logLevel: "silent",
    resolve: { conditions: ["@signpost/source", "browser"] },
    plugins: [
      {
        name: "files",
        transform(_code, id) {
          if (id.startsWith(packages)) files.add(id);
        },
      },
    ],
    build: {
      write: false,
      minify: false,
      lib: { entry: join(packages, "sentry/src/index.browser.ts"), formats: ["es"] },
      rolldownOptions: { external: [/^(next|react|@sentry)\b/, "sentry-scopes"] },
    },
  });
  return [...files];
}

/*
 * Browsers that Sentry's SDK supports understand ES2020. Next compiles no package, and what a browser can't parse takes
 * the whole script along: https://docs.sentry.io/platforms/javascript/troubleshooting/supported-browsers/
 */
test("what a browser loads of the packages is written in ES2020", async () => {
  const files = await filesOfBrowsers();
  expect(files).toContain(join(packages, "sentry/src/browser/sdk/start.ts"));
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    const [asItIs, compiled] = await Promise.all(
      ["esnext", "es2020"].map((target) => transformWithOxc(text, file, { target })),
    );
    expect(compiled?.code, file).toBe(asItIs?.code);
  }
});
