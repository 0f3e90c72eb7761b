import { newServerEventId } from "@signpost/relay/envelope";
import { type Failure, mechanisms, shared } from "./reporting-state.ts";

/**
 * Reports an exception, unless the current request has reported it before: Next passes one error to
 * several places, in no fixed order. Each request reports for itself, since one error object may fail
 * all of them, such as that of a connection which a module keeps.
 *
 * @param error whatever was thrown
 * @returns the id of its event, 32 hex digits; if there were too many of its kind, that of the latest
 */
export function captureFailure(error: unknown, failure: Failure): string {
  const request = shared().reporter?.currentRequest();
  // `_app` and `_document` throw the same error twice: for the page, and for the error page.
  const text = request && textOf(error);
  const known =
    referenceOf(error) ?? (text === undefined ? undefined : request?.failures.get(text));
  // Nobody reads the answer, and nothing of the app's has failed.
  const isNone = known === undefined && request?.isGivenUp?.(error);
  const reference = known ?? (isNone ? newServerEventId() : report(error, failure));
  if (text !== undefined) request?.failures.set(text, reference);
  remember(error, reference);
  if (request) request.reference = reference;
  return reference;
}

function report(error: unknown, failure: Failure): string {
  const id = newServerEventId();
  return shared().reporter?.capture(readable(error), id, failure) ?? id;
}

/**
 * The event of what was thrown, if the current request has reported it, or the team in it; outside of
 * any request, if the process has.
 */
export function referenceOf(error: unknown): string | undefined {
  const { reporter, references } = shared();
  if (!isObject(error)) return undefined;
  const request = reporter?.currentRequest();
  return request ? request.failures.get(error) : references.get(error);
}

/** Also for what has no request any more, such as a rejection that nobody handles. */
export function remember(
  error: unknown,
  reference: string,
  request = shared().reporter?.currentRequest(),
): void {
  if (!isObject(error)) return;
  request?.failures.set(error, reference);
  shared().references.set(error, reference);
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
  const known = referenceOf(error) ?? currentReference();
  if (known) return known;
  // As Sentry's own function says it.
  const thrown = error ?? `_error.js called with falsy error (${error})`;
  return captureFailure(thrown, { mechanism: mechanisms.errorPage });
}

/** @returns the reference of the current request's failure; none if it has not failed */
export function currentReference(): string | undefined {
  return shared().reporter?.currentRequest()?.reference;
}

/** What two throws of one error have in common; nothing for objects that are no errors. */
function textOf(error: unknown): string | undefined {
  const thrown = readable(error);
  if (thrown instanceof Error) return `${thrown.name}: ${thrown.message}`;
  return isObject(thrown) ? undefined : String(thrown);
}

/**
 * What is thrown may throw again as it is read, as a symbol does, and Sentry's SDK would lose the event.
 *
 * @returns the very same, or in its place a text or an error with what can be read of it
 */
export function readable(thrown: unknown): unknown {
  if (typeof thrown === "symbol") return String(thrown);
  try {
    read(thrown, new Set());
    return thrown;
  } catch {
    const instead = new Error(partOf(thrown, "message") ?? "What was thrown can't be read");
    instead.name = partOf(thrown, "name") ?? instead.name;
    instead.stack = partOf(thrown, "stack") ?? `${instead}`;
    return instead;
  }
}

/** Reads what the SDK reads. */
function read(thrown: unknown, seen: Set<unknown>): void {
  if (!isObject(thrown) || seen.has(thrown)) return;
  seen.add(thrown);
  const { name, message, stack, cause, errors } = thrown as Partial<AggregateError>;
  String([name, message, stack]);
  if (!(thrown instanceof Error)) {
    Object.values(thrown);
    if (!isPlain(thrown)) String(thrown);
  }
  read(cause, seen);
  if (Array.isArray(errors)) for (const one of errors) read(one, seen);
}

/** Whether the SDK lists its keys: it turns all else that is no error into a text. */
export function isPlain(thrown: unknown): boolean {
  return Object.prototype.toString.call(thrown) === "[object Object]";
}

function partOf(thrown: unknown, part: "name" | "message" | "stack"): string | undefined {
  try {
    const text = (thrown as Error)[part];
    return text === undefined ? undefined : String(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
