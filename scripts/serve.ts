import { checkDataDir, readRuntimeConfig } from "../lib/config/runtime.ts";
import { build } from "./build.ts";
import { buildIsStale, sourceHash } from "./build-stamp.ts";
import { prepareEnvironment } from "./environment.ts";
import { checkAddress, readAddress } from "./listen-address.ts";
import { start } from "./start.ts";

/**
 * Builds if the sources have changed since the last build, then serves. By default every request and
 * visit is traced, because a local server has few.
 *
 * @throws {ConfigError} before it builds
 */
export async function buildAndServe() {
  prepareEnvironment("production");
  process.env.SENTRY_TRACES_SAMPLE_RATE ||= "1";
  process.env.BROWSER_TRACES_SAMPLE_RATE ||= "1";
  checkDataDir(readRuntimeConfig(process.env));
  await checkAddress(readAddress(process.env, process.argv.slice(2)));
  if (buildIsStale(".next", sourceHash(".", process.env))) {
    const code = await build();
    if (code !== 0) process.exit(code);
  }
  await start();
}
