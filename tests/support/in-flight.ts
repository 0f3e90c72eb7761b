import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

/** Begins a request, and resolves once the server has it in hand: it says "100 Continue" then. */
export async function inFlight(
  url: string,
): Promise<{ status: Promise<number>; body: Promise<string> }> {
  const asking = request(url, { headers: { Expect: "100-continue" }, agent: false });
  const answered = once(asking, "response").then(([answer]) => answer as IncomingMessage);
  asking.end();
  await once(asking, "continue");
  const status = answered.then(({ statusCode = 0 }) => statusCode);
  return { status, body: answered.then(text) };
}
