import type { NextApiRequest, NextApiResponse } from "next";

/** Sends on to where the payment is made. */
// biome-ignore lint/style/noDefaultExport: an API route has one
export default function checkout(req: NextApiRequest, res: NextApiResponse) {
  res.redirect(303, String(req.body.to));
}
