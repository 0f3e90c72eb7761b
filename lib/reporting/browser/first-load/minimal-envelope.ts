import { errorRoute } from "./error-route";
import { exceptionOf } from "./minimal-exception";
import type { CspViolation } from "./policy-violations";
import { mechanismOf, type ReportedError, takeErrors } from "./report-error";
import { incompleteEnvelope, sendAtOnce } from "./without-sdk";

/** Sends all errors in the queue in the smallest valid form: by default, as the page is left. */
export function sendWithoutSdk(send: (envelope: string) => unknown = sendAtOnce): void {
  for (const reported of takeErrors()) send(minimalEnvelope(reported));
}

/**
 * Writes an envelope without the SDK: one event with type, message, stack and time. The tunnel adds
 * release and environment.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/
 */
export function minimalEnvelope(reported: ReportedError): string {
  const { error, source, at, reference, url, event: browserEvent } = reported;
  const event = {
    event_id: reference,
    timestamp: at / 1000,
    platform: "javascript",
    level: "error",
    transaction: reported.route ?? errorRoute(source),
    fingerprint: source === "policy" ? (error as CspViolation).fingerprint : undefined,
    request: { url: url.replace(/[?#].*/, "") },
    exception: {
      values: [
        {
          ...exceptionOf(error, browserEvent),
          mechanism: { type: mechanismOf(reported), handled: false },
        },
      ],
    },
  };
  try {
    reported.context?.complete(event);
    return incompleteEnvelope(event);
  } catch {
    // What the app has told of it can't be read or written.
    return minimalEnvelope({ ...reported, context: undefined });
  }
}
