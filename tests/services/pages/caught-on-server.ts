import { captureFailure } from "@signpost/sentry/server";
import type { NextApiRequest, NextApiResponse } from "next";

/** Catches an error on the server, reports it, and goes on. */
export default function caughtOnServer(_: NextApiRequest, res: NextApiResponse) {
  const failure = { mechanism: "services.caught" };
  res.json({ reference: captureFailure(new Error("Caught on the server"), failure) });
}
