import type { IncomingMessage } from "node:http";
import { errorResponses, timingSafeEquals, writeErrorResponse } from "@signpost/relay/http";
import {
  type Failure,
  mechanisms,
  originalUrlOf,
  reportFailure,
  routeOfRequest,
} from "@signpost/sentry/server";
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
  return timingSafeEquals(given, token);
}

/** The response of every address under /api that is no API route. */
export function refuseUnknownApi(req: NextApiRequest, res: NextApiResponse): Promise<void> {
  return writeErrorResponse(req, res, errorResponses.unknownApi);
}

async function refuseFailed(
  req: NextApiRequest,
  res: NextApiResponse,
  error: unknown,
): Promise<void> {
  const route = routeOfRequest(req);
  const [path = ""] = originalUrlOf(req).split("?", 1);
  const failure: Failure = {
    route,
    mechanism: mechanisms.requestError,
    nextjs: {
      request_path: path,
      router_kind: "Pages Router",
      router_path: route ?? path,
      route_type: "route",
    },
  };
  const reference = await reportFailure(error, failure, req.method);
  // Half a response can't become another one: the client must see that it is incomplete.
  if (res.headersSent) {
    res.destroy();
    return;
  }
  await writeErrorResponse(req, res, errorResponses.internal(reference));
}
