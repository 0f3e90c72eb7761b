import { writeErrorResponse } from "@signpost/relay/http";
import type { NextApiRequest, NextApiResponse, PageConfig } from "next";
import { env } from "@/lib/config";
import { apiRoute, hasBearer, refuseUnknownApi, wrongToken } from "@/lib/server/api-route";
import { metrics } from "@/lib/server/metrics";

/** The body is not read, so that none is refused. */
export const config: PageConfig = { api: { bodyParser: false } };

const route = apiRoute({
  async GET(req, res) {
    if (!hasBearer(req, env().METRICS_TOKEN ?? "")) {
      return writeErrorResponse(req, res, wrongToken);
    }
    const { contentType } = metrics();
    const text = await metrics().text();
    res.setHeader("Cache-Control", "no-store");
    res.setHeader("Content-Type", contentType);
    res.status(200).send(text);
  },
});

/** What Prometheus reads; without METRICS_TOKEN there is no such address. */
export default function handler(req: NextApiRequest, res: NextApiResponse): unknown {
  return env().METRICS_TOKEN ? route(req, res) : refuseUnknownApi(req, res);
}
