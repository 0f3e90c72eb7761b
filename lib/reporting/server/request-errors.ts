import type { Instrumentation } from "next";
import { log } from "@/lib/log";
import { referenceFor } from "./references";
import { type Failure, shared } from "./shared";

/** The relay's own troubles are logged and never reported: the report would go the same way. */
const relayRoute = "/api/[tunnel]";

/** What Next calls for an error in a page's data, in render, in `_app`, `_document`, an API route. */
export const reportRequestError: Instrumentation.onRequestError = (error, request, context) => {
  if (isClientsFault(error)) return;
  reportFailure(error, {
    route: context.routePath,
    method: request.method,
    path: request.path,
    headers: request.headers,
    mechanism: "signpost.request_error",
  });
};

/**
 * Reports and logs a request that failed, once for each of its errors.
 *
 * @returns the reference of the event
 */
export function reportFailure(error: unknown, failure: Failure): string | undefined {
  const { route, method, headers } = failure;
  const before = headers && shared().references.get(headers);
  const reference = route === relayRoute ? undefined : referenceFor(error, failure);
  // One that makes the error page fail as well comes by a second time.
  if (reference && reference === before) return reference;
  const name = error instanceof Error ? error.name : typeof error;
  log("error", "request failed", { route, method, status: 500, error: name, reference });
  return reference;
}

/** Next's own way to answer a bad request (a body that is no JSON, say) is to throw. */
function isClientsFault(error: unknown): boolean {
  if (typeof error !== "object" || error === null || !("statusCode" in error)) return false;
  const { statusCode } = error;
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500;
}
