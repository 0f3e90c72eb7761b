import { scrubText } from "@/lib/envelope/scrub-text";
import { errorRoute } from "./error-route";
import { type KnownError, mechanismOf } from "./known-errors";
import { lastSettings } from "./last-settings";

/** One line of a stack, as Chromium, Firefox and Safari write it: function, file, line, column. */
const stackLine = /^\s*(?:at )?(?:(.*?) ?[(@])?((?:https?|file):.*?):(\d+):(\d+)\)?$/gm;

/**
 * An error as a valid envelope without the SDK's help: one event with type, message, stack and
 * time. Source: https://develop.sentry.dev/sdk/data-model/envelopes/
 */
export function minimalEnvelope(known: KnownError): string {
  const { error, source, at, reference, signal } = known;
  const { release, environment } = lastSettings();
  const { name = "Error", message, stack = "" } = Object(error) as Partial<Error>;
  const frames = [...stack.matchAll(stackLine)].map(([, called, file, line, column]) => ({
    function: called || "?",
    filename: scrubText(file ?? ""),
    lineno: Number(line),
    colno: Number(column),
    in_app: true,
  }));
  const value = message ?? (signal && "message" in signal ? signal.message : String(error));
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
          mechanism: { type: mechanismOf(known), handled: false },
          stacktrace: { frames: frames.reverse() },
        },
      ],
    },
  };
  return `${JSON.stringify({ event_id: reference })}\n{"type":"event"}\n${JSON.stringify(event)}\n`;
}
