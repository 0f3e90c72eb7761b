import { addEventProcessor, captureException } from "@sentry/browser";
import { errorRoute } from "./error-route";
import type { CspViolation } from "./policy-violations";
import { mechanismOf, type ReportedError } from "./report-error";

/** Errors handed to the SDK whose events it has not made yet. */
const replayed: ReportedError[] = [];

/** What the SDK has made an event of. */
const sent = new WeakSet<WeakKey>();

/**
 * From now on, each error's event has its route, and a replayed error's also its own page, time and
 * id. An error that is thrown again makes no second event.
 */
export function completeErrorEvents(): void {
  addEventProcessor((event, { originalException }) => {
    if (event.type) return event;
    // The SDK marks what it has sent, but can't mark a frozen error.
    if (Object(originalException) === originalException) {
      if (sent.has(originalException as WeakKey)) return null;
      sent.add(originalException as WeakKey);
    }
    const at = replayed.findIndex(({ error }) => error === originalException);
    const [reported] = at < 0 ? [] : replayed.splice(at, 1);
    return {
      ...event,
      ...(reported && {
        event_id: reported.reference,
        timestamp: reported.at / 1000,
        request: { ...event.request, url: reported.url },
      }),
      transaction: reported?.route ?? errorRoute(reported?.source),
    };
  });
}

/**
 * Hands an error to the SDK that it has not seen. An event of the browser goes through the SDK's own
 * listener, so that type, message, stack and mechanism are the same as for a later error.
 */
export function replayError(reported: ReportedError): void {
  const { error, event, reference, source } = reported;
  replayed.push(reported);
  if (event && "reason" in event) window.onunhandledrejection?.(event);
  else if (event) {
    window.onerror?.(event.message, event.filename, event.lineno, event.colno, event.error);
  } else {
    const mechanism = { type: mechanismOf(reported), handled: false };
    const captureContext =
      source === "policy" ? { fingerprint: (error as CspViolation).fingerprint } : undefined;
    captureException(error, { event_id: reference, mechanism, captureContext });
  }
}
