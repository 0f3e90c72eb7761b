import { parse } from "node:querystring";
import type { NextApiRequest, NextApiResponse } from "next";
import { originalUrlOf } from "@/lib/reporting/server/next-request";

/** The body is of no interest here, so that none is refused. */
export const config = { api: { bodyParser: false } };

/** Answers any method with what the router made of the path, and with the query. */
export default function echo(req: NextApiRequest, res: NextApiResponse) {
  // Not the router's: there the route's parameter stands in the place of a query's of that name.
  const [, search] = originalUrlOf(req).split(/\?(.*)/s);
  const query = parse(search ?? "", "&", "=", { maxKeys: 0 });
  res.setHeader("Cache-Control", "no-store");
  res.status(200).json({ method: req.method, path: req.query.path, query });
}
