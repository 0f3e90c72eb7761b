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

/**
 * Keeps the SDK's script from a page, by the browser itself: a route of Playwright's would lose what the page
 * sends as it is left, and answer for other origins which headers they allow.
 */
export async function blockSdk(page: Page, variant: Variant): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const urls = sdkScripts(variant).map((name) => `*${name}*`);
  await session.send("Network.setBlockedURLs", { urls });
}
