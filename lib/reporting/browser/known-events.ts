import { addEventProcessor, captureException } from "@sentry/browser";
import { errorRoute } from "../error-route";
import { type KnownError, mechanismOf, type Reporter } from "../known-errors";

/** Errors that were known before the SDK, by what was thrown. */
const known = new Map<unknown, KnownError[]>();

/** Gives each event its route, and those that were known earlier their own time and reference. */
export function rememberKnownErrors(): void {
  addEventProcessor((event, { originalException }) => {
    if (event.type) return event;
    const earlier = known.get(originalException)?.shift();
    return {
      ...event,
      ...(earlier && { event_id: earlier.reference, timestamp: earlier.at / 1000 }),
      transaction: errorRoute(earlier?.source),
    };
  });
}

/**
 * Reports an error that the SDK has not seen: what the browser told of, the way the browser would
 * have told the SDK, so that type, message, stack and mechanism come out the same.
 */
export const reportKnown: Reporter = (error) => {
  const { reference, signal } = error;
  if (signal && "reason" in signal) {
    remember(signal.reason, error);
    window.onunhandledrejection?.(signal);
  } else if (signal) {
    const { message, filename, lineno, colno } = signal;
    remember(signal.error, error);
    window.onerror?.(message, filename, lineno, colno, signal.error);
  } else {
    remember(error.error, error);
    captureException(error.error, {
      event_id: reference,
      mechanism: { type: mechanismOf(error), handled: false },
    });
  }
};

/** In order: the same text may be thrown more than once. */
function remember(thrown: unknown, error: KnownError): void {
  known.set(thrown, [...(known.get(thrown) ?? []), error]);
}
