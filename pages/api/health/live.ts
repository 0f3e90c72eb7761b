import type { PageConfig } from "next";
import { apiRoute } from "@/lib/server/api-route";

/** The body is not read, so that none is refused. */
export const config: PageConfig = { api: { bodyParser: false } };

/** 200 as long as the process serves anything. */
export default apiRoute({
  GET(_req, res) {
    res.setHeader("Cache-Control", "no-store");
    res.status(200).json({ status: "live" });
  },
});
