import type { PageConfig } from "next";
import { runtimeConfig } from "@/lib/config/runtime.js";
import { apiRoute } from "@/lib/http/api";
import { readiness } from "@/lib/http/health";
import { serving } from "@/lib/http/serving";
import { outbox } from "@/lib/outbox";

/** The body is of no interest here, so that none is refused. */
export const config: PageConfig = { api: { bodyParser: false } };

/** 200 while this process should be sent visitors, 503 otherwise. */
export default apiRoute({
  GET(_req, res) {
    const state = readiness(outbox().stats(), serving().draining, runtimeConfig().release);
    res.setHeader("Cache-Control", "no-store");
    res.status(state.status === "ready" ? 200 : 503).json(state);
  },
});
