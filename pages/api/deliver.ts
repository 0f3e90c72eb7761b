import type { NextApiRequest, NextApiResponse, PageConfig } from "next";
import { apiRoute, refuseUnknownApi } from "@/lib/server/api-route";
import { deliver, mayDeliver } from "@/lib/server/deliver";

/** The body is not read, so that none is refused. */
export const config: PageConfig = { api: { bodyParser: false } };

const route = apiRoute({ POST: deliver });

export default function handler(req: NextApiRequest, res: NextApiResponse): unknown {
  return mayDeliver() ? route(req, res) : refuseUnknownApi(req, res);
}
