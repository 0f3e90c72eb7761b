import type { PageConfig } from "next";
import { runtimeConfig } from "@/lib/config/runtime.js";
import { apiRoute } from "@/lib/server/api-route";

/** The body is of no interest here, so that none is refused. */
export const config: PageConfig = { api: { bodyParser: false } };

/** What the browser's reporting needs to know of the run-time configuration. */
export default apiRoute({
  GET(_req, res) {
    const { release, environment, browserTracesSampleRate } = runtimeConfig();
    res.setHeader("Cache-Control", "public, max-age=300");
    res.status(200).json({ release, environment, tracesSampleRate: browserTracesSampleRate });
  },
});
