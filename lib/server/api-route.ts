import type { NextApiHandler, NextApiRequest, NextApiResponse } from "next";
import { routeOfRequest } from "@/lib/reporting/server/next-request";
import { reportFailure } from "@/lib/reporting/server/request-errors";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

export type ApiHandlers = Partial<Record<(typeof methods)[number], NextApiHandler>>;

/** The body of every error answer under `/api`. */
export interface ApiError {
  /** Short and unchanging, for programs. */
  error: string;
  /** A sentence, for people. */
  detail: string;
  /** The id of the event in the error-reporting service, 32 hex digits. */
  reference?: string;
}

/**
 * An API route that answers each method by its handler: HEAD as GET, any other with 405 and the
 * `Allow` header. What a handler throws is reported once and answered with 500 and a reference,
 * never with a stack.
 */
export function apiRoute(handlers: ApiHandlers): NextApiHandler {
  const allowed = methods.filter((method) => handlers[method]);
  const allow = (handlers.GET ? [...allowed, "HEAD"] : allowed).join(", ");
  return async function handle(req, res) {
    const method = req.method === "HEAD" ? "GET" : req.method;
    const known = methods.find((candidate) => candidate === method);
    const handler = known && handlers[known];
    if (!handler) {
      res.setHeader("Allow", allow);
      return sendError(res, 405, {
        error: "method_not_allowed",
        detail: `This address answers to ${allow}.`,
      });
    }
    try {
      await handler(req, res);
    } catch (error) {
      answerFailure(req, res, error);
    }
  };
}

/** Answers with an error; any caching that was meant for the good answer is taken back. */
export function sendError(res: NextApiResponse, status: number, body: ApiError): void {
  res.setHeader("Cache-Control", "no-store");
  res.status(status).json(body);
}

function answerFailure(req: NextApiRequest, res: NextApiResponse, error: unknown): void {
  const reference = reportFailure(error, {
    route: routeOfRequest(req),
    method: req.method,
    path: req.url,
    headers: req.headers,
    mechanism: "signpost.api_route",
  });
  // Half an answer can't be turned into another one: the client must see that it broke off.
  if (res.headersSent) res.destroy();
  else
    sendError(res, 500, {
      error: "internal",
      detail: "The server could not answer this request. The fault has been reported.",
      reference,
    });
}
