import { existsSync, readdirSync } from "node:fs";

/**
 * The names that are taken under /api by the files of `pages/api`. For next.config.js alone: what the
 * server imports must not read this folder, or the build copies it into the standalone output.
 */
export function apiNames(folder = "pages/api"): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => name.replace(/\..*/, ""));
}
