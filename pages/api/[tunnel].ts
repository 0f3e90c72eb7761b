import type { NextApiRequest, NextApiResponse, PageConfig } from "next";
import { basePath, tunnelPath } from "@/lib/config/public";
import { answerUnknown } from "@/lib/http/unknown-api";
import { relay } from "@/lib/relay";

/** The relay reads the bytes itself, within its limits, and answers by itself. */
export const config: PageConfig = { api: { bodyParser: false, externalResolver: true } };

export default async function handler(req: NextApiRequest, res: NextApiResponse): Promise<void> {
  if (`${basePath}/api/${req.query.tunnel}` === tunnelPath) await relay().handle(req, res);
  else answerUnknown(res);
}
