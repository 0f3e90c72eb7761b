import type { PageConfig } from "next";
import { runtimeConfig } from "@/lib/base/config/runtime";
import { rateNow } from "@/lib/relay/delivery/delivery-singleton";
import { releases } from "@/lib/relay/tunnel/tunnel-singleton";
import { apiRoute } from "@/lib/server/api-route";

/** The body is not read, so that none is refused. */
export const config: PageConfig = { api: { bodyParser: false } };

/**
 * The part of the run-time configuration that the browser's reporting needs. `?build=` names the build of
 * the page that asks: the release is that one's, and is left out where it is not known, which the server
 * of that build may know.
 */
export default apiRoute({
  async GET({ query: { build } }, res) {
    const { environment, browserTracesSampleRate, ...own } = runtimeConfig();
    const release = typeof build === "string" ? await releases().of(build) : own.release;
    res.setHeader("Cache-Control", release === undefined ? "no-store" : "public, max-age=300");
    const tracesSampleRate = rateNow(browserTracesSampleRate);
    res.status(200).json({ release, environment, tracesSampleRate });
  },
});
