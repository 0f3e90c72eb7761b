import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Page } from "playwright/test";
import type { Variant } from "./server";
import { variants } from "./variants.ts";

/** Only the SDK's code has this. */
const mark = "sentry.javascript";

/** The names of the scripts that hold the SDK. */
export function sdkScripts(variant: Variant): string[] {
  const folder = join(variants[variant].folder, ".next/static/chunks");
  const scripts = readdirSync(folder).filter((name) => name.endsWith(".js"));
  return scripts.filter((name) => readFileSync(join(folder, name), "utf8").includes(mark));
}

/** Holds the SDK's script back from a page. @returns what lets it through */
export async function holdSdk(page: Page, variant: Variant): Promise<() => void> {
  const names = sdkScripts(variant);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(
    (url) => names.includes(basename(url.pathname)),
    async (route) => {
      await released;
      await route.continue();
    },
  );
  return () => release();
}
