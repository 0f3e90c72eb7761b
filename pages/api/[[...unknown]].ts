import { errorResponses, writeErrorResponse } from "@signpost/relay/http";
import { originalUrlOf } from "@signpost/sentry/server";
import type { NextApiRequest, NextApiResponse, PageConfig } from "next";
import { tunnelPath } from "@/lib/navigation/location";
import { refuseUnknownApi } from "@/lib/server/api-route";

/** The body is not read, so that none is refused; the tunnel reads its own, within its limits. */
export const config: PageConfig = { api: { bodyParser: false, externalResolver: true } };

/**
 * Every address under /api that is no API route. `requestSteps` (lib/server/requests.ts) gives the
 * tunnel its requests before Next: only one that comes while the server starts gets here.
 */
export default function handler(req: NextApiRequest, res: NextApiResponse): Promise<void> {
  const [path] = originalUrlOf(req).split("?", 1);
  if (path !== tunnelPath) return refuseUnknownApi(req, res);
  return writeErrorResponse(req, res, errorResponses.unavailable("The server is starting."));
}
