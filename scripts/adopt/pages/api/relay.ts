import type { NextApiRequest, NextApiResponse, PageConfig } from "next";
import { tunnel } from "@/lib/relay/tunnel/tunnel-singleton";

/** The tunnel reads the body itself, within its limits. */
export const config: PageConfig = { api: { bodyParser: false, externalResolver: true } };

/** The server gives the tunnel its requests before Next: only one that comes while it starts gets here. */
export default function handler(req: NextApiRequest, res: NextApiResponse): Promise<void> {
  return tunnel().handle(req, res);
}
