import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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
