import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { builtBasePath } from "../lib/config/build.ts";
import { runtimeConfig } from "../lib/config/runtime.ts";
import { announcement } from "./announcement.ts";
import { exitOnConfigError, prepareEnvironment } from "./environment.ts";
import { answeringUrl, checkAddress, nextCommand, readAddress } from "./listen-address.ts";

/**
 * Serves the build in this process, so that it uses the configuration checked and the token shown
 * here. Resolves once the server responds.
 *
 * @throws {ConfigError} before anything listens
 */
export async function start() {
  const config = runtimeConfig();
  const args = process.argv.slice(2);
  const address = readAddress(process.env, args);
  if (!existsSync(".next/BUILD_ID")) {
    console.error("There is no build yet: run `npm run build` first, or `npm run up` for both.");
    process.exit(1);
  }
  await checkAddress(address);
  // The app handles signals itself: see lib/server/shutdown.
  process.env.NEXT_MANUAL_SIG_HANDLE = "1";
  process.argv = nextCommand("start", args, address);
  await import("next/dist/bin/next");
  console.log(announcement(await answeringUrl(address, builtBasePath()), config));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  prepareEnvironment("production");
  await exitOnConfigError(start);
}
