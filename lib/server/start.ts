// These two run as they are imported: each `import()` would load an SDK of its own.
import "./prepare";
import "@/sentry.server.config";
import { runtimeConfig, serverReady } from "@signpost/sentry/server";
import { sayAddresses } from "./addresses";
import { replaceBareErrors } from "./fallback-error-page";
import { logStart } from "./start-log";

/** What else a server process does besides serving pages. Runs once, before the first request. */
export async function startServer(): Promise<void> {
  await replaceBareErrors();
  logStart(runtimeConfig());
  // Next waits for it before the first request.
  await serverReady();
  sayAddresses(runtimeConfig());
}
