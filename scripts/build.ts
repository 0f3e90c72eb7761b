import { cpSync, existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { readBuildConfig, sourceMapsFolder } from "../lib/base/config/build.ts";
import { sentryFaultsIn } from "../lib/build/sentry-imports.ts";
import { apiRoutes, pages } from "../lib/site/routes/table.ts";
import { sourceHash, writeStamp } from "./build-stamp.ts";
import { firstLoadReport } from "./first-load.ts";
import { run } from "./run.cjs";
import { exitOnConfigError, prepareEnvironment } from "./serving.ts";

/**
 * Builds the app in the current folder, into `.next`.
 *
 * @param env set besides this process's environment
 * @returns exit code
 * @throws {ConfigError}
 */
export async function build(env: Record<string, string> = {}): Promise<number> {
  const all = { ...process.env, ...env };
  readBuildConfig(all, apiRoutes);
  // Here too, because a next.config.js that Node can't load never comes to its own check.
  const sentryFaults = sentryFaultsIn(".");
  for (const fault of sentryFaults) console.error(fault);
  if (sentryFaults.length > 0) return 1;
  const hash = sourceHash(".", all);
  const code = await run(process.execPath, ["node_modules/next/dist/bin/next", "build"], env);
  if (code !== 0) return code;
  completeStandalone();
  for (const line of firstLoadReport(pages, ".next")) console.log(line);
  writeStamp(".next", hash);
  return 0;
}

/**
 * Copies the static files, which Next leaves to the deployment, into the standalone folder. So
 * `node .next/standalone/server.js` works, and the folder can be copied as it is. The source maps go
 * into a folder that is not served.
 * https://nextjs.org/docs/pages/api-reference/config/next-config-js/output
 */
function completeStandalone() {
  cpSync(".next/static", ".next/standalone/.next/static", { recursive: true });
  if (existsSync("public")) cpSync("public", ".next/standalone/public", { recursive: true });
  const maps = sourceMapsFolder();
  if (existsSync(maps)) cpSync(maps, `.next/standalone/${maps}`, { recursive: true });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  prepareEnvironment("production");
  await exitOnConfigError(async () => process.exit(await build()));
}
