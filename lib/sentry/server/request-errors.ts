import type { Instrumentation } from "next";
import { log } from "@/lib/base/log";
import { captureException, currentReference } from "./references";
import { reportStored } from "./reports-under-way";
import { type Failure, mechanisms } from "./shared";

/**
 * The tunnel's, while the server starts. Its own errors are logged and not reported: their reports could
 * cause the next error.
 */
const tunnelRoute = "/api/[[...unknown]]";

/**
 * Next calls it for errors in pages, in `_app` and `_document`, and in API routes, and answers when its
 * promise is kept: so a failure that a client has seen is stored.
 */
export const reportRequestError: Instrumentation.onRequestError = async (
  error,
  request,
  context,
) => {
  if (isClientError(error)) return;
  const { routePath, routeType, routerKind } = context;
  const [path = ""] = request.path.split("?", 1);
  const failure: Failure = {
    route: routePath,
    mechanism: mechanisms.requestError,
    nextjs: {
      request_path: path,
      router_kind: routerKind,
      router_path: routePath,
      route_type: routeType,
    },
  };
  await reportFailure(error, failure, request.method);
};

/**
 * Reports and logs a request that failed, once for each of its errors.
 *
 * @returns the reference of the event, once that is stored
 */
export async function reportFailure(
  error: unknown,
  failure: Failure,
  method: string | undefined,
): Promise<string | undefined> {
  const { route } = failure;
  const before = currentReference();
  const reference = route === tunnelRoute ? undefined : captureException(error, failure);
  // The same error may make the error page fail too, and is then passed here again.
  if (!reference || reference !== before) {
    const name = error instanceof Error ? error.name : typeof error;
    log("error", "request failed", { route, method, status: 500, error: name, reference });
  }
  if (reference) await reportStored(reference);
  return reference;
}

/** For a bad request, such as a body that is no JSON, Next throws an error with a 4xx status. */
function isClientError(error: unknown): boolean {
  if (typeof error !== "object" || error === null || !("statusCode" in error)) return false;
  const { statusCode } = error;
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500;
}

/**
 * Reports what nobody caught. It does not decide whether the process goes on: Next's own handlers
 * keep it running, and `uncaughtExceptionMonitor` runs before them and changes nothing.
 *
 * @param flush hands to the outbox what was captured so far; where the process may be about to end, that is
 *   on disk before it returns
 */
export function reportCrashes(flush: (mayEnd: boolean) => void): void {
  process.on("uncaughtExceptionMonitor", (error) => {
    captureException(error, { mechanism: mechanisms.uncaughtException, level: "fatal" });
    flush(true);
  });
  process.on("unhandledRejection", (reason) => {
    captureException(reason, { mechanism: mechanisms.unhandledRejection });
    // A process with a listener for it, such as this one, goes on.
    flush(false);
  });
}
