import { checkDataDir, readRuntimeConfig } from "../lib/config/runtime.js";
import { build } from "./build.js";
import { buildIsStale, sourceHash } from "./build-stamp.js";
import { prepareEnvironment } from "./environment.js";
import { checkAddress, readAddress } from "./listen-address.js";
import { start } from "./start.js";

/**
 * Builds if the sources are not those of the last build, then serves. One machine's visitors are
 * few, so every trace is kept where nothing else is said.
 *
 * @throws {import("../lib/config/refusal.js").ConfigError} before it builds
 */
export async function buildAndServe() {
  prepareEnvironment("production");
  process.env.SENTRY_TRACES_SAMPLE_RATE ||= "1";
  process.env.BROWSER_TRACES_SAMPLE_RATE ||= "1";
  checkDataDir(readRuntimeConfig(process.env).dataDir);
  await checkAddress(readAddress(process.env));
  if (buildIsStale(".next", sourceHash(".", process.env))) {
    const code = await build();
    if (code !== 0) process.exit(code);
  }
  await start();
}
