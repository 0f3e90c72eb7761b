import type { NextApiRequest, NextApiResponse } from "next";
import { browserSettings } from "@/lib/relay/tunnel/browser-settings";

/** The part of the run-time configuration that the browser's reporting needs. */
export default async function handler({ query }: NextApiRequest, res: NextApiResponse) {
  const { body, cacheControl } = await browserSettings(query.build);
  res.setHeader("Cache-Control", cacheControl);
  res.status(200).json(body);
}
