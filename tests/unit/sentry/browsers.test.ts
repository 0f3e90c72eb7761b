import { globSync, readFileSync } from "node:fs";
import { transformWithOxc } from "vite";
import { expect, test } from "vitest";

const folder = "packages/sentry/src";
const files = globSync([`${folder}/browser/**/*.{ts,tsx}`, `${folder}/index.browser.ts`]);

/*
 * Browsers that Sentry's SDK supports understand ES2020. Next compiles no package, and what a browser can't parse takes
 * the whole script along: https://docs.sentry.io/platforms/javascript/troubleshooting/supported-browsers/
 */
test("the browser's half is written in ES2020", async () => {
  expect(files.length).toBeGreaterThan(40);
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    const [asItIs, compiled] = await Promise.all(
      ["esnext", "es2020"].map((target) => transformWithOxc(text, file, { target })),
    );
    expect(compiled?.code, file).toBe(asItIs?.code);
  }
});
