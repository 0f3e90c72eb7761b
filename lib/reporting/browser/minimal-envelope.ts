import { scrubText } from "@/lib/envelope/scrub-text";
import { errorRoute } from "./error-route";
import type { CspViolation } from "./policy-violations";
import { mechanismOf, type ReportedError, takeErrors } from "./report-error";
import { incompleteEnvelope, sendAtOnce } from "./without-sdk";

/** One line of a stack in Chromium, Firefox or Safari: function, file, line, column. */
const stackLine = /^ *(?:at )?(?:(.*?) ?[(@])?((?:https?|file):.*?):(\d+):(\d+)\)?$/gm;

/**
 * Sentry keeps no more of a stack and of a text, and the relay completes only small envelopes.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/#size-limits
 */
const maxFrames = 50;
const maxLength = 8192;

/** Sends all errors in the queue in the smallest valid form. */
export function sendWithoutSdk(): void {
  for (const reported of takeErrors()) sendAtOnce(minimalEnvelope(reported));
}

/**
 * Writes an envelope without the SDK: one event with type, message, stack and time. The relay adds
 * release and environment.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/
 */
export function minimalEnvelope(reported: ReportedError): string {
  const { error, source, at, reference, url, event: browserEvent } = reported;
  const thrown = Object(error) as Partial<CspViolation>;
  const stack = text(() => thrown.stack, "").slice(0, 2 * maxLength);
  const frames = [...stack.matchAll(stackLine)]
    .slice(0, maxFrames)
    .map(([, called, file, line, column]) => ({
      function: called || "?",
      filename: scrubText(file ?? ""),
      lineno: Number(line),
      colno: Number(column),
      in_app: true,
    }));
  const eventMessage = (browserEvent as Partial<ErrorEvent> | undefined)?.message;
  // For a thrown text or number, the event's message begins with other words in each engine.
  const words =
    thrown === error ? () => thrown.message ?? eventMessage : () => error || eventMessage;
  const event = {
    event_id: reference,
    timestamp: at / 1000,
    platform: "javascript",
    level: "error",
    transaction: reported.route ?? errorRoute(source),
    fingerprint: source === "policy" ? thrown.fingerprint : undefined,
    request: { url: url.replace(/[?#].*/, "") },
    exception: {
      values: [
        {
          type: text(() => thrown.name, "Error").slice(0, maxLength),
          value: scrubText(text(() => words() ?? String(error), eventMessage ?? "")).slice(
            0,
            maxLength,
          ),
          mechanism: { type: mechanismOf(reported), handled: false },
          // Sentry refuses a stack without frames.
          stacktrace: frames.length > 0 ? { frames: frames.reverse() } : undefined,
        },
      ],
    },
  };
  reported.context?.complete(event);
  return incompleteEnvelope(event);
}

/** Anything may be thrown, so what is read may be of any type, and reading it may throw. */
function text(read: () => unknown, otherwise: string): string {
  try {
    return String(read() ?? otherwise);
  } catch {
    return otherwise;
  }
}
