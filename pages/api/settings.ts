import type { PageConfig } from "next";
import { browserSettings } from "@/lib/relay/tunnel/browser-settings";
import { apiRoute } from "@/lib/server/api-route";

/** The body is not read, so that none is refused. */
export const config: PageConfig = { api: { bodyParser: false } };

/** The part of the run-time configuration that the browser's reporting needs. */
export default apiRoute({
  async GET({ query: { build } }, res) {
    const { body, cacheControl } = await browserSettings(build);
    res.setHeader("Cache-Control", cacheControl);
    res.status(200).json(body);
  },
});
