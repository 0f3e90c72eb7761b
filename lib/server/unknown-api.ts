import type { NextApiResponse } from "next";

/** What an address under /api that is none answers, whatever the method. */
export function answerUnknown(res: NextApiResponse): void {
  res.setHeader("Cache-Control", "no-store");
  res.status(404).json({ error: "not_found", detail: "There is no such API route." });
}
