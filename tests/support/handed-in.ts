import { envelope, errorEvent } from "./envelopes";
import type { App } from "./server";

/** Hands an error to the tunnel, as a browser does. */
export async function report(app: App) {
  const id = crypto.randomUUID().replaceAll("-", "");
  const bytes = envelope([["event", errorEvent({ event_id: id })]], { event_id: id });
  const answer = await fetch(app.url("/api/relay"), {
    method: "POST",
    body: Buffer.from(bytes).toString(),
  });
  const retryAfter = Number(answer.headers.get("retry-after"));
  return { id, status: answer.status, retryAfter, body: await answer.json() };
}

/** What an operator is told: whether reports can be stored. */
export async function readiness(app: App) {
  const answer = await fetch(app.url("/api/health/ready?reporting"));
  return { status: answer.status, body: await answer.json() };
}
