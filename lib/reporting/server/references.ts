import type { IncomingMessage } from "node:http";
import { type Failure, shared } from "./shared";

/**
 * The id of the event that an exception is reported as. The first to ask reports it, everyone
 * after gets the same id: Next hands one and the same error to several places in no fixed order.
 *
 * @param error whatever was thrown
 * @returns 32 hex digits
 */
export function referenceFor(error: unknown, failure: Failure): string {
  const { references, reporter } = shared();
  const known = isObject(error) ? references.get(error) : undefined;
  if (known) return known;
  const reference = crypto.randomUUID().replaceAll("-", "");
  if (isObject(error)) references.set(error, reference);
  if (failure.headers) references.set(failure.headers, reference);
  reporter?.capture(error, reference, failure);
  return reference;
}

/**
 * The reference to show on an error page, for `_error.getInitialProps`. To be asked for only with
 * a status of 500 or more. Next wraps what is not an Error in a new one before it gets here, so
 * the request that failed counts as well as the error.
 *
 * @param error what Next gives as `err`; it may give none
 * @returns 32 hex digits
 */
export function referenceOnErrorPage(error: unknown, req: IncomingMessage | undefined): string {
  const { references } = shared();
  const known =
    (isObject(error) && references.get(error)) || (req && references.get(req.headers)) || undefined;
  return (
    known ??
    referenceFor(error ?? new Error("The server answered with an error page without an error"), {
      mechanism: "signpost.error_page",
      method: req?.method,
      path: req?.url,
      headers: req?.headers,
    })
  );
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
