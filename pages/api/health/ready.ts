import type { PageConfig } from "next";
import { runtimeConfig } from "@/lib/base/config/runtime";
import { serving } from "@/lib/base/server/serving";
import { serviceRefusal } from "@/lib/relay/delivery/delivery-singleton";
import { outbox } from "@/lib/relay/outbox/outbox-singleton";
import { apiRoute } from "@/lib/server/api-route";
import { readiness } from "@/lib/server/health";

/** The body is not read, so that none is refused. */
export const config: PageConfig = { api: { bodyParser: false } };

/** 200 while this process should be sent visitors, otherwise 503. */
export default apiRoute({
  async GET(_req, res) {
    const stats = await outbox().stats();
    const { release } = runtimeConfig();
    const state = readiness(stats, serving().stopping, release, serviceRefusal());
    res.setHeader("Cache-Control", "no-store");
    res.status(state.status === "ready" ? 200 : 503).json(state);
  },
});
