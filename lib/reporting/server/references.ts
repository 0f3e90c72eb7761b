import type { IncomingMessage } from "node:http";
import { type Failure, type RequestHeaders, shared } from "./shared";

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
  // What the page and the error page are both made of (`_app`, `_document`) throws once for each.
  const failures = failuresOf(failure.headers);
  const words = wordsOf(error);
  const same = words === undefined ? undefined : failures.get(words);
  const reference = same ?? crypto.randomUUID().replaceAll("-", "");
  if (words !== undefined) failures.set(words, reference);
  if (isObject(error)) references.set(error, reference);
  if (failure.headers) references.set(failure.headers, reference);
  if (!same) reporter?.capture(error, reference, failure);
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

/** @returns the reference of what failed in a request; none where nothing has */
export function referenceOf(headers: RequestHeaders): string | undefined {
  return shared().references.get(headers);
}

function failuresOf(headers: RequestHeaders | undefined): Map<string, string> {
  if (!headers) return new Map();
  const { failures } = shared();
  let own = failures.get(headers);
  if (!own) {
    own = new Map();
    failures.set(headers, own);
  }
  return own;
}

/** What tells one error from another; nothing for objects that are none. */
function wordsOf(error: unknown): string | undefined {
  if (error instanceof Error) return `${error.name}: ${error.message}`;
  return isObject(error) ? undefined : String(error);
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
