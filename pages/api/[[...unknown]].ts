import type { NextApiRequest, NextApiResponse, PageConfig } from "next";
import { answerUnknown } from "@/lib/server/unknown-api";

export const config: PageConfig = { api: { bodyParser: false } };

export default function handler(_req: NextApiRequest, res: NextApiResponse): void {
  answerUnknown(res);
}
