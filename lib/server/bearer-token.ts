import type { IncomingMessage } from "node:http";
import { timingSafeEquals } from "@signpost/sentry/server";

/** Whether the request has `Authorization: Bearer` and this token. */
export function hasBearer({ headers }: IncomingMessage, token: string): boolean {
  const [, given = ""] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  return timingSafeEquals(given, token);
}
