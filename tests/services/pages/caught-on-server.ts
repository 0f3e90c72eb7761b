import type { NextApiRequest, NextApiResponse } from "next";
import { referenceFor } from "@/lib/reporting/server/references";

/** Catches an error on the server, reports it, and goes on. */
export default function caughtOnServer(
  { method, url, headers }: NextApiRequest,
  res: NextApiResponse,
) {
  const route = "/api/services/caught";
  const mechanism = "services.caught";
  const error = new Error("Caught on the server");
  const reference = referenceFor(error, { route, method, path: url, headers, mechanism });
  res.json({ reference });
}
