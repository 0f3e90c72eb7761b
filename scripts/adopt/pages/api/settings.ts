import type { NextApiRequest, NextApiResponse } from "next";
import { runtimeConfig } from "@/lib/base/config/runtime";
import { rateNow } from "@/lib/relay/delivery/delivery-singleton";

/** The part of the run-time configuration that the browser's reporting needs. */
export default function handler(_req: NextApiRequest, res: NextApiResponse) {
  const { release, environment, browserTracesSampleRate } = runtimeConfig();
  res.setHeader("Cache-Control", "public, max-age=300");
  const tracesSampleRate = rateNow(browserTracesSampleRate);
  res.status(200).json({ release, environment, tracesSampleRate });
}
