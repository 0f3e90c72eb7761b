import type { IncomingMessage } from "node:http";
import type { NextPageContext } from "next";
import { routeOfRequest } from "./next-request.ts";
import { captureFailure, currentReference, referenceOnErrorPage } from "./references.ts";
import { reportStored } from "./reports-under-way.ts";

/**
 * For `_error.getInitialProps`. The error has mostly been reported before, when the request failed.
 *
 * @returns the id of its event, 32 hex digits, once the report is stored; nothing for the page of an
 *   address that does not exist
 */
export async function captureUnderscoreErrorException({
  err,
  res,
}: Pick<NextPageContext, "err" | "res">): Promise<string | undefined> {
  if (res && res.statusCode < 500) return undefined;
  const reference = referenceOnErrorPage(err);
  await reportStored(reference);
  // A hook may have given the event an id of its own.
  return currentReference() ?? reference;
}

/**
 * For who answers a request where Next can show neither the page nor the error page. If the code of a page
 * can't be loaded, Next logs the error but passes it to no handler.
 *
 * @returns the id of the event, and a promise that it is stored; none if that needs no waiting
 */
export function captureUnshownError(request: IncomingMessage) {
  const reference =
    currentReference() ??
    captureFailure(new Error("Neither the page nor the error page could be shown"), {
      mechanism: "signpost.last_resort",
      route: routeOfRequest(request),
    });
  return { reference, stored: reportStored(reference) };
}
