import * as Sentry from "@signpost/sentry";
import type { NextApiRequest, NextApiResponse } from "next";

/** Reports in every way while it answers. */
export default async function capturing(_: NextApiRequest, response: NextApiResponse) {
  Sentry.setUser({ id: "17", plan: "free" });
  Sentry.setTag("area", "checkout");
  await Sentry.startSpan({ name: "prices", op: "function" }, () => Promise.resolve());
  Sentry.captureException(new Error("A capture on the server"), { extra: { items: 3 } });
  Sentry.captureMessage("A message of the server", "warning");
  response.status(204).end();
}
