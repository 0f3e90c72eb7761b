import { relay, runtimeConfig, serving } from "@signpost/sentry/server";
import type { PageConfig } from "next";
import { apiRoute } from "@/lib/server/api-route";
import { PatientReader, readiness } from "@/lib/server/health";

/** The body is not read, so that none is refused. */
export const config: PageConfig = { api: { bodyParser: false } };

const reader = new PatientReader(() => relay().stats.read());

/**
 * 200 while this process should be sent visitors, otherwise 503. With `?reporting`, 503 as well while
 * reports can't be stored.
 */
export default apiRoute({
  async GET(req, res) {
    const reporting = req.query.reporting !== undefined;
    const stats = await reader.stats(reporting);
    const state = readiness(stats, {
      stopping: serving().stopping,
      version: runtimeConfig().release,
      reporting,
      delivery: relay().delivery,
      refusal: relay().refusal,
      limited: relay().limited,
    });
    res.setHeader("Cache-Control", "no-store");
    res.status(state.status === "ready" ? 200 : 503).json(state);
  },
});
