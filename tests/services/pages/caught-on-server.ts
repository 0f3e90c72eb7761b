import * as Sentry from "@signpost/sentry";
import type { NextApiRequest, NextApiResponse } from "next";

/** Catches an error on the server, reports it, and goes on. */
export default function caughtOnServer(_: NextApiRequest, res: NextApiResponse) {
  res.json({ reference: Sentry.captureException(new Error("Caught on the server")) });
}
