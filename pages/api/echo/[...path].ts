import type { NextApiRequest, NextApiResponse } from "next";

/** The body is of no interest here, so that none is refused. */
export const config = { api: { bodyParser: false } };

/** Answers any method with what the router made of the request. */
export default function echo(req: NextApiRequest, res: NextApiResponse) {
  const { path, ...query } = req.query;
  res.setHeader("Cache-Control", "no-store");
  res.status(200).json({ method: req.method, path, query });
}
