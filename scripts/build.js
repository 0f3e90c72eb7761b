import "./node-version.js";
import { cpSync, existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { readBuildConfig } from "../lib/config/build.js";
import { apiRoutes } from "../lib/routes/table.js";
import { sourceHash, writeStamp } from "./build-stamp.js";
import { orRefuse, prepareEnvironment } from "./environment.js";
import { run } from "./run.js";

/**
 * Builds the app in the current folder, into `.next`.
 *
 * @param {Record<string, string>} [env] set besides this process's environment
 * @returns {Promise<number>} exit code
 * @throws {import("../lib/config/refusal.js").ConfigError}
 */
export async function build(env = {}) {
  const all = { ...process.env, ...env };
  readBuildConfig(all, apiRoutes);
  const hash = sourceHash(".", all);
  const code = await run(process.execPath, ["node_modules/next/dist/bin/next", "build"], env);
  if (code !== 0) return code;
  completeStandalone();
  writeStamp(".next", hash);
  return 0;
}

/**
 * Puts beside the standalone server what it serves and Next leaves to the deployment, so that
 * `node .next/standalone/server.js` shows whole pages, and the folder can be copied as it is:
 * https://nextjs.org/docs/pages/api-reference/config/next-config-js/output
 */
function completeStandalone() {
  cpSync(".next/static", ".next/standalone/.next/static", { recursive: true });
  if (existsSync("public")) cpSync("public", ".next/standalone/public", { recursive: true });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  prepareEnvironment("production");
  await orRefuse(async () => process.exit(await build()));
}
