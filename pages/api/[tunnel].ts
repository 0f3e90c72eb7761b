import type { NextApiRequest, NextApiResponse, PageConfig } from "next";
import { basePath, tunnelPath } from "@/lib/config/public";
import { relay } from "@/lib/relay";
import { answerUnknown } from "@/lib/server/unknown-api";

/** The relay reads the bytes itself, within its limits, and answers by itself. */
export const config: PageConfig = { api: { bodyParser: false, externalResolver: true } };

export default async function handler(req: NextApiRequest, res: NextApiResponse): Promise<void> {
  if (`${basePath}/api/${req.query.tunnel}` === tunnelPath) await relay().handle(req, res);
  else answerUnknown(res);
}
