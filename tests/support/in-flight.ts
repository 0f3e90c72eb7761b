import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

/**
 * Begins a request, and resolves once the server has it in hand: it says "100 Continue" then. Status and
 * body reject where the answer is cut, also if nobody waits for them.
 */
export async function inFlight(
  url: string,
): Promise<{ status: Promise<number>; body: Promise<string> }> {
  const asking = request(url, { headers: { Expect: "100-continue" }, agent: false });
  const answered = once(asking, "response").then(([answer]) => answer as IncomingMessage);
  const status = answered.then(({ statusCode = 0 }) => statusCode);
  const body = answered.then(text);
  for (const one of [status, body]) one.catch(() => {});
  asking.end();
  await once(asking, "continue");
  return { status, body };
}
