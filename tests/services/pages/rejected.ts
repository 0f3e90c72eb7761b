import type { NextApiRequest, NextApiResponse } from "next";

/** Answers, and leaves a rejection behind that nobody handles. */
export default function rejected(_: NextApiRequest, res: NextApiResponse) {
  Promise.reject(new Error("Rejected on the server"));
  res.status(204).end();
}
