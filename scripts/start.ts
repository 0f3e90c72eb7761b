import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { builtBasePath } from "../lib/base/config/build.ts";
import { runtimeConfig } from "../lib/base/config/runtime.ts";
import { exitOnConfigError, prepareEnvironment, serve } from "./serving.ts";

/** Serves the build, if there is one. */
export async function start() {
  const config = runtimeConfig();
  if (!existsSync(".next/BUILD_ID")) {
    console.error("There is no build yet: run `npm run build` first, or `npm run up` for both.");
    process.exit(1);
  }
  // The app handles signals itself: see lib/base/server/shutdown.
  process.env.NEXT_MANUAL_SIG_HANDLE = "1";
  await serve("start", config, builtBasePath());
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  prepareEnvironment("production");
  await exitOnConfigError(start);
}
