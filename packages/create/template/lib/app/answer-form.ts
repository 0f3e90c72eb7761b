import type { NextApiRequest, NextApiResponse } from "next";
import { urlOf } from "@/lib/navigation/location";

/**
 * Answers what `ApiForm` sends: with JSON to its script, and without JavaScript with the page that comes next.
 *
 * @param next path of that page, without base path and language
 */
export function answerForm(
  req: NextApiRequest,
  res: NextApiResponse,
  next: string,
  result: object,
): void {
  if (req.headers.accept?.includes("application/json")) res.status(200).json(result);
  else res.redirect(303, urlOf({ path: next, locale: req.body?.locale }));
}
