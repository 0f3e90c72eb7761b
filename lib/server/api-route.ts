import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type ErrorResponse, errorResponses, writeErrorResponse } from "@signpost/relay/http";
import { reportApiFailure } from "@signpost/sentry/server";
import type { NextApiHandler, NextApiRequest, NextApiResponse } from "next";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type ApiHandlers = Partial<Record<Method, NextApiHandler>>;

/**
 * An API route with a handler for each method. HEAD is handled as GET, any other method is refused
 * with 405 and the `Allow` header. What a handler throws is reported once and answered with 500 and
 * the report's reference, never with a stack.
 */
export function apiRoute(handlers: ApiHandlers): NextApiHandler {
  const methods = [...Object.keys(handlers), ...(handlers.GET ? ["HEAD"] : [])];
  const wrongMethod = errorResponses.wrongMethod(methods.join(", "));
  return async function handle(req, res) {
    const handler = handlers[(req.method === "HEAD" ? "GET" : req.method) as Method];
    if (!handler) return writeErrorResponse(req, res, wrongMethod);
    try {
      await handler(req, res);
    } catch (error) {
      await refuseFailed(req, res, error);
    }
  };
}

/** Whether the request has `Authorization: Bearer` and this token. */
export function hasBearer({ headers }: IncomingMessage, token: string): boolean {
  const [, given = ""] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  // In a time that does not depend on where they differ.
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", token, "buffer"));
}

/** The response without that. */
export const wrongToken: ErrorResponse = {
  status: 401,
  error: "wrong_token",
  detail: "The Authorization header must be Bearer and the token of this address.",
  headers: { "WWW-Authenticate": "Bearer" },
};

/** The response of every address under /api that is no API route. */
export function refuseUnknownApi(req: NextApiRequest, res: NextApiResponse): Promise<void> {
  return writeErrorResponse(req, res, errorResponses.notFound("There is no such API route."));
}

async function refuseFailed(
  req: NextApiRequest,
  res: NextApiResponse,
  error: unknown,
): Promise<void> {
  const reference = await reportApiFailure(error, req);
  // Half a response can't become another one: the client must see that it is incomplete.
  if (res.headersSent) {
    res.destroy();
    return;
  }
  await writeErrorResponse(req, res, {
    status: 500,
    error: "internal",
    detail: "The server could not answer this request. The error has been reported.",
    extra: { reference },
  });
}
