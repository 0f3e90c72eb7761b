import { checkDataDir, readRuntimeConfig } from "../lib/base/config/runtime.ts";
import { build } from "./build.ts";
import { buildIsStale, sourceHash } from "./build-stamp.ts";
import { checkAddress, exitOnConfigError, prepareEnvironment, readAddress } from "./serving.ts";
import { start } from "./start.ts";

/**
 * Builds if the sources have changed since the last build, then serves. By default every request and
 * visit is traced, because a local server has few.
 */
async function up() {
  process.env.SENTRY_TRACES_SAMPLE_RATE ||= "1";
  process.env.BROWSER_TRACES_SAMPLE_RATE ||= "1";
  // What can't be used is said before it builds.
  checkDataDir(readRuntimeConfig(process.env));
  await checkAddress(readAddress(process.env, process.argv.slice(2)));
  if (buildIsStale(".next", sourceHash(".", process.env))) {
    const code = await build();
    if (code !== 0) process.exit(code);
  }
  await start();
}

prepareEnvironment("production");
await exitOnConfigError(up);
