import * as Sentry from "@signpost/sentry";
import { answerOf } from "../../answer";

export const config = { runtime: "edge" };

export default async function handler(request: Request) {
  const answer = await Sentry.withIsolationScope(() =>
    answerOf(new URL(request.url).searchParams.get("snippet") ?? ""),
  );
  await Sentry.flush(5000);
  return Response.json(answer);
}
