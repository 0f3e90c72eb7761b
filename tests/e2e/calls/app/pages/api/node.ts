import * as Sentry from "@signpost/sentry";
import type { NextApiRequest, NextApiResponse } from "next";
import { answerOf } from "../../answer";

export default async function handler(request: NextApiRequest, response: NextApiResponse) {
  const answer = await answerOf(String(request.query.snippet));
  await Sentry.flush(5000);
  response.json(answer);
}
