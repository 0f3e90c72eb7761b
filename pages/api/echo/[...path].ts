import { parse } from "node:querystring";
import { originalUrlOf } from "@signpost/sentry/server";
import type { NextApiRequest, NextApiResponse } from "next";

/** The body is not read, so that none is refused. */
export const config = { api: { bodyParser: false } };

/** Answers any method with the path as the router parsed it, and with the query. */
export default function echo(req: NextApiRequest, res: NextApiResponse) {
  // Not from the router: there, the route's `path` replaces a query parameter of that name.
  const [, search] = originalUrlOf(req).split(/\?(.*)/s);
  const query = parse(search ?? "", "&", "=", { maxKeys: 0 });
  res.setHeader("Cache-Control", "no-store");
  res.status(200).json({ method: req.method, path: req.query.path, query });
}
