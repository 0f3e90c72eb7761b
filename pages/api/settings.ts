import type { PageConfig } from "next";
import { runtimeConfig } from "@/lib/base/config/runtime";
import { rateNow } from "@/lib/relay/delivery/delivery-singleton";
import { apiRoute } from "@/lib/server/api-route";

/** The body is not read, so that none is refused. */
export const config: PageConfig = { api: { bodyParser: false } };

/** The part of the run-time configuration that the browser's reporting needs. */
export default apiRoute({
  GET(_req, res) {
    const { release, environment, browserTracesSampleRate } = runtimeConfig();
    res.setHeader("Cache-Control", "public, max-age=300");
    const tracesSampleRate = rateNow(browserTracesSampleRate);
    res.status(200).json({ release, environment, tracesSampleRate });
  },
});
