import { scrubText } from "@/lib/envelope/scrub-text";
import { errorRoute } from "./error-route";
import type { CspViolation } from "./policy-violations";
import { mechanismOf, type ReportedError } from "./report-error";

/** One line of a stack in Chromium, Firefox or Safari: function, file, line, column. */
const stackLine = /^\s*(?:at )?(?:(.*?) ?[(@])?((?:https?|file):.*?):(\d+):(\d+)\)?$/gm;

/**
 * Writes an envelope without the SDK: one event with type, message, stack and time. The item needs
 * no length, because JSON has no newlines.
 * Source: https://develop.sentry.dev/sdk/data-model/envelopes/
 */
export function minimalEnvelope(reported: ReportedError): string {
  const { error, source, at, reference, url, event: browserEvent } = reported;
  const { release, environment } = storedSettings();
  const thrown = Object(error) as Partial<CspViolation>;
  const stack = text(() => thrown.stack, "");
  const frames = [...stack.matchAll(stackLine)].map(([, called, file, line, column]) => ({
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
    release,
    environment,
    transaction: reported.route ?? errorRoute(source),
    fingerprint: source === "policy" ? thrown.fingerprint : undefined,
    request: { url: url.replace(/[?#].*/, "") },
    exception: {
      values: [
        {
          type: text(() => thrown.name, "Error"),
          value: scrubText(text(() => words() ?? String(error), eventMessage ?? "")),
          mechanism: { type: mechanismOf(reported), handled: false },
          // Sentry refuses a stack without frames.
          stacktrace: frames.length > 0 ? { frames: frames.reverse() } : undefined,
        },
      ],
    },
  };
  return `${JSON.stringify({ event_id: reference })}\n{"type":"event"}\n${JSON.stringify(event)}\n`;
}

/** Anything may be thrown, so what is read may be of any type, and reading it may throw. */
function text(read: () => unknown, otherwise: string): string {
  try {
    return String(read() ?? otherwise);
  } catch {
    return otherwise;
  }
}

/** What the server says about reporting in the browser. The bundle holds none of it. */
export interface BrowserSettings {
  release: string;
  environment: string;
  /** 0 to 1 */
  tracesSampleRate: number;
}

/** The settings are stored in `sessionStorage` under this key. */
export const settingsKey = "signpost-settings";

/** The settings that this tab last got from the server, or else the defaults of the build. */
export function storedSettings(): BrowserSettings {
  let stored = {};
  try {
    stored = JSON.parse(sessionStorage[settingsKey]);
  } catch {
    // Nothing is stored yet, or the browser allows this page no storage.
  }
  const { buildId } = window.__NEXT_DATA__;
  return { release: buildId, environment: "production", tracesSampleRate: 0.1, ...stored };
}
