import type { IncomingMessage, ServerResponse } from "node:http";
import { errorResponses, respond, writeErrorResponse } from "@signpost/relay/http";
import { relay, runtimeConfig } from "@signpost/sentry/server";
import { env } from "@/lib/config";
import { hasBearer, wrongToken } from "./api-route";
import { backlogOf } from "./health";

const maxDeliverMs = 20_000;

/** Whether `/api/deliver` exists: it needs a token, and a service to deliver to. */
export function mayDeliver(): boolean {
  return env().DELIVER_TOKEN !== undefined && runtimeConfig().dsn !== undefined;
}

/**
 * Delivers reports while the request lasts, for hosts that freeze a process between requests: a cron
 * job posts here. Answers with what is left.
 */
export async function deliver(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { DELIVER_TOKEN = "" } = env();
  if (!hasBearer(request, DELIVER_TOKEN)) {
    return writeErrorResponse(request, response, wrongToken);
  }
  const isRunning = await relay().deliverNow(maxDeliverMs);
  const stats = await relay().stats.read();
  if (!isRunning || !stats.writable) {
    const detail = stats.reason ?? "This server is stopping.";
    return writeErrorResponse(request, response, errorResponses.unavailable(detail));
  }
  return respond(request, response, { status: 200, body: backlogOf(stats) });
}
