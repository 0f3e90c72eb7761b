import { type Failure, mechanisms, shared } from "./shared";

/**
 * Reports an exception, unless it has been reported before: Next passes one error to several places,
 * in no fixed order.
 *
 * @param error whatever was thrown
 * @returns the id of its event, 32 hex digits; if there were too many of its kind, that of the latest
 */
export function captureException(error: unknown, failure: Failure): string {
  const { references } = shared();
  const known = isObject(error) ? references.get(error) : undefined;
  if (known) return known;
  // `_app` and `_document` throw the same error twice: for the page, and for the error page.
  const request = shared().reporter?.currentRequest();
  const text = textOf(error);
  const same = text === undefined ? undefined : request?.failures.get(text);
  const reference = same ?? report(error, failure);
  if (text !== undefined) request?.failures.set(text, reference);
  if (isObject(error)) references.set(error, reference);
  if (request) request.reference = reference;
  return reference;
}

function report(error: unknown, failure: Failure): string {
  const id = crypto.randomUUID().replaceAll("-", "");
  return shared().reporter?.capture(error, id, failure) ?? id;
}

/**
 * The reference to show on an error page, for `_error.getInitialProps` with a status of 500 or more.
 * Next has wrapped a thrown value that is no Error in a new one by now, so the failed request
 * identifies the event too.
 *
 * @param error what Next gives as `err`; it may give none
 * @returns 32 hex digits
 */
export function referenceOnErrorPage(error: unknown): string {
  const known = (isObject(error) && shared().references.get(error)) || currentReference();
  if (known) return known;
  const thrown = error ?? new Error("The server answered with an error page without an error");
  return captureException(thrown, { mechanism: mechanisms.errorPage });
}

/** @returns the reference of the current request's failure; none if it has not failed */
export function currentReference(): string | undefined {
  return shared().reporter?.currentRequest()?.reference;
}

/** What two throws of one error have in common; nothing for objects that are no errors. */
function textOf(error: unknown): string | undefined {
  if (error instanceof Error) return `${error.name}: ${error.message}`;
  return isObject(error) ? undefined : String(error);
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
