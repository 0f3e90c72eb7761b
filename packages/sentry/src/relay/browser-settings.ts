import { runtimeConfig } from "../shared/environment/runtime.ts";
import { rateNow, releases } from "./relay.ts";

/**
 * The part of the run-time configuration that the browser's reporting needs, for `{tunnel}/settings`.
 *
 * @param build the id of the page's build; without one, the release is this server's
 * @returns without a release where that of the build is not known: another server may know it, so no
 *   cache may keep the answer
 */
export async function browserSettings(build: unknown) {
  const { environment, browserTracesSampleRate, ...own } = runtimeConfig();
  const release = typeof build === "string" ? await releases().of(build) : own.release;
  return {
    body: { release, environment, tracesSampleRate: rateNow(browserTracesSampleRate) },
    cacheControl: release === undefined ? "no-store" : "public, max-age=300",
  };
}
