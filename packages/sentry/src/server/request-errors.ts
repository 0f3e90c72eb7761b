import type { IncomingMessage, ServerResponse } from "node:http";
import { format, stripVTControlCharacters } from "node:util";
import type { Instrumentation } from "next";
import { log } from "../shared/log.ts";
import { scrubText } from "../shared/privacy/scrub.ts";
import { originalUrlOf, routeOfRequest } from "./next-request.ts";
import { captureFailure, currentReference, readable, referenceOf } from "./references.ts";
import { type Failure, mechanisms, shared } from "./reporting-state.ts";
import { reportStored } from "./reports-under-way.ts";

/**
 * Next calls it for errors in pages, in `_app` and `_document`, and in API routes, and answers when its
 * promise is kept: so a failure that a client has seen is stored.
 */
export const reportRequestError: Instrumentation.onRequestError = async (
  error,
  request,
  context,
) => {
  const failure = failureOf(request.path, context.routePath, context);
  const report = () => reportFailure(error, failure, request.method);
  const { response } = shared().reporter?.currentRequest() ?? {};
  if (response && context.routeType === "route" && mayBeRefusal(error)) {
    onFailedEnd(response, report);
  } else await report();
};

/**
 * The same for who catches what an API route throws, and answers in place of Next.
 *
 * @returns the reference of the event, once that is stored; nothing if its client has gone
 */
export function reportApiFailure(
  error: unknown,
  request: IncomingMessage,
): Promise<string | undefined> {
  const kinds = { routerKind: "Pages Router", routeType: "route" };
  const failure = failureOf(originalUrlOf(request), routeOfRequest(request), kinds);
  return reportFailure(error, failure, request.method);
}

function failureOf(
  url: string,
  route: string | undefined,
  { routerKind, routeType }: Record<"routerKind" | "routeType", string>,
): Failure {
  const [path = ""] = url.split("?", 1);
  return {
    route,
    mechanism: mechanisms.requestError,
    nextjs: {
      request_path: path,
      router_kind: routerKind,
      router_path: route ?? path,
      route_type: routeType,
    },
  };
}

/**
 * Reports and logs a request that failed, once for each of its errors.
 *
 * @returns the reference of the event, once that is stored; nothing if its client has gone
 */
export async function reportFailure(
  error: unknown,
  failure: Failure,
  method: string | undefined,
): Promise<string | undefined> {
  const { route } = failure;
  const { logsConsole, reporter } = shared();
  if (reporter?.currentRequest()?.isGivenUp?.(error)) return undefined;
  const before = currentReference();
  const reference = captureFailure(error, failure);
  // The same error may make the error page fail too, and is then passed here again.
  if (!reference || reference !== before) {
    const thrown = readable(error);
    const name = thrown instanceof Error ? thrown.name : typeof thrown;
    // Elsewhere Next writes it to the console.
    const message = logsConsole ? loggable(thrown) : undefined;
    reporter?.currentRequest()?.logged.set(error, true);
    log("error", "request failed", { route, method, status: 500, error: name, reference, message });
  }
  if (reference) await reportStored(reference);
  // A hook may have given the event an id of its own.
  return referenceOf(error) ?? reference;
}

/** What the log has of values that are written to the console. */
export function loggable(...values: unknown[]): string {
  const safe = values.map((value) => (value instanceof Error ? readable(value) : value));
  return scrubText(stripVTControlCharacters(format(...safe)));
}

/**
 * Next's own refusal of a bad request, such as a body that is no JSON, is an error of an API route that
 * carries a status below 500. So may an error of the app's, such as that of a service that it asks: that
 * is answered with 500 all the same. What it is, its answer says, as it ends.
 */
function mayBeRefusal(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  try {
    const { statusCode } = error as { statusCode?: unknown };
    return typeof statusCode === "number" && statusCode < 500;
  } catch {
    return false;
  }
}

/** Holds back the end of an answer that says that the request failed, until that is reported. */
function onFailedEnd(response: ServerResponse, report: () => Promise<unknown>): void {
  const { end } = response;
  response.end = ((...given: []) => {
    response.end = end;
    if (response.statusCode < 500) return response.end(...given);
    void report().finally(() => response.end(...given));
    return response;
  }) as typeof end;
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
    captureFailure(error, { mechanism: mechanisms.uncaughtException, level: "fatal" });
    flush(true);
  });
  process.on("unhandledRejection", (reason) => {
    captureFailure(reason, { mechanism: mechanisms.unhandledRejection });
    // A process with a listener for it, such as this one, goes on.
    flush(false);
  });
}
