import { scrubText } from "@/lib/envelope/scrub-text";
import { errorRoute } from "./error-route";
import { mechanismOf, type ReportedError } from "./report-error";
import { storedSettings } from "./settings";

/** One line of a stack in Chromium, Firefox or Safari: function, file, line, column. */
const stackLine = /^\s*(?:at )?(?:(.*?) ?[(@])?((?:https?|file):.*?):(\d+):(\d+)\)?$/gm;

/**
 * Writes an envelope without the SDK: one event with type, message, stack and time. The item needs
 * no length, because JSON has no newlines.
 * Source: https://develop.sentry.dev/sdk/data-model/envelopes/
 */
export function minimalEnvelope(reported: ReportedError): string {
  const { error, source, at, reference, event: browserEvent } = reported;
  const { release, environment } = storedSettings();
  const { name = "Error", message, stack = "" } = Object(error) as Partial<Error>;
  const frames = [...stack.matchAll(stackLine)].map(([, called, file, line, column]) => ({
    function: called || "?",
    filename: scrubText(file ?? ""),
    lineno: Number(line),
    colno: Number(column),
    in_app: true,
  }));
  const value =
    message ?? (browserEvent && "message" in browserEvent ? browserEvent.message : String(error));
  const event = {
    event_id: reference,
    timestamp: at / 1000,
    platform: "javascript",
    level: "error",
    release,
    environment,
    transaction: errorRoute(source),
    request: { url: location.origin + location.pathname },
    exception: {
      values: [
        {
          type: name,
          value: scrubText(value),
          mechanism: { type: mechanismOf(reported), handled: false },
          stacktrace: { frames: frames.reverse() },
        },
      ],
    },
  };
  return `${JSON.stringify({ event_id: reference })}\n{"type":"event"}\n${JSON.stringify(event)}\n`;
}
