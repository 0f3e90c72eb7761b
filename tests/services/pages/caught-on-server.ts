import type { NextApiRequest, NextApiResponse } from "next";
import { captureException } from "@/lib/sentry/server/references";

/** Catches an error on the server, reports it, and goes on. */
export default function caughtOnServer(_: NextApiRequest, res: NextApiResponse) {
  const failure = { mechanism: "services.caught" };
  res.json({ reference: captureException(new Error("Caught on the server"), failure) });
}
