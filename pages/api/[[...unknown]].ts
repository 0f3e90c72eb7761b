import type { NextApiRequest, NextApiResponse, PageConfig } from "next";
import { refuseUnknownApi } from "@/lib/server/api-route";

/** The body is not read, so that none is refused. */
export const config: PageConfig = { api: { bodyParser: false } };

export default function handler(req: NextApiRequest, res: NextApiResponse): Promise<void> {
  return refuseUnknownApi(req, res);
}
