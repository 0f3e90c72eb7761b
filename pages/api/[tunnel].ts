import type { NextApiRequest, NextApiResponse, PageConfig } from "next";
import { basePath, tunnelPath } from "@/lib/config/public";
import { refuseUnknownApi } from "@/lib/server/api-route";
import { tunnel } from "@/lib/tunnel/tunnel-singleton";

/*
 * Serves the tunnel in development only. In production `requestSteps` (lib/server/requests.ts) gives
 * its requests to the tunnel before Next, and a breakpoint here is never hit.
 */

/** The tunnel reads the body itself, within its limits, and responds itself. */
export const config: PageConfig = { api: { bodyParser: false, externalResolver: true } };

export default function handler(req: NextApiRequest, res: NextApiResponse): Promise<void> {
  const isTunnel = `${basePath}/api/${req.query.tunnel}` === tunnelPath;
  return isTunnel ? tunnel().handle(req, res) : refuseUnknownApi(req, res);
}
