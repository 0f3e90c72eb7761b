import { scrubText } from "@/lib/envelope/scrub-text";
import type { BrowserErrorEvent } from "./report-error";

/** One line of a stack in Chromium, Firefox or Safari: function, file, line, column. */
const stackLine =
  /^ *(?:at )?(?:(.*?) ?[(@])?((?:https?|file|[a-z-]+-extension):.*?):(\d+):(\d+)\)?$/gm;

/**
 * Sentry keeps no more of a stack and of a text, and the tunnel completes only small envelopes.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/#size-limits
 */
const maxFrames = 50;
const maxLength = 8192;

interface Words {
  type: string;
  value: string;
  /** Whose stack it is; nothing where what was thrown has none of its own. */
  error?: Partial<Error>;
}

/**
 * The exception of an event: type, message and stack, in the SDK's own words, so that a report is of
 * the same issue with the SDK and without it.
 * Source: https://github.com/getsentry/sentry-javascript/blob/11.5.0/packages/browser/src/eventbuilder.ts
 */
export function exceptionOf(thrown: unknown, event?: BrowserErrorEvent) {
  const { type, value, error } = wordsOf(thrown, event);
  const stack = text(() => error?.stack, "").slice(0, 2 * maxLength);
  const frames = [...stack.matchAll(stackLine)]
    .slice(0, maxFrames)
    .map(([, called, file, line, column]) => frame(called, file, line, column))
    .reverse();
  // What is no error has no stack, but the browser knows where it was thrown.
  const { filename, lineno, colno } = (event ?? {}) as Partial<ErrorEvent>;
  if (!frames[0] && filename) frames.push(frame("", filename, lineno, colno));
  return {
    type: type.slice(0, maxLength),
    value: scrubText(value).slice(0, maxLength),
    // Sentry refuses a stack without frames.
    stacktrace: frames[0] && { frames },
  };
}

function frame(called = "", file = "", line: unknown, column: unknown) {
  return {
    function: called || "?",
    filename: scrubText(file),
    lineno: Number(line),
    colno: Number(column),
    in_app: true,
  };
}

function wordsOf(thrown: unknown, event?: BrowserErrorEvent): Words {
  const rejected = event?.type === "unhandledrejection";
  const type = rejected ? "UnhandledRejection" : "Error";
  const browserWords = (event as Partial<ErrorEvent> | undefined)?.message;
  if (Object(thrown) !== thrown) {
    const value = rejected
      ? `Non-Error promise rejection captured with value: ${String(thrown)}`
      : String(thrown || (browserWords ?? thrown));
    return { type, value };
  }
  try {
    const object = thrown as Partial<Error>;
    if (isError(object)) {
      return {
        type: text(() => object.name, "Error"),
        value: text(() => object.message || undefined, "No error message"),
        error: object,
      };
    }
    const isEvent = object instanceof Event;
    if (!isEvent && tagOf(object) !== "[object Object]") {
      return { type: "Error", value: String(object) };
    }
    const inner = Object.values(object).find(isError);
    if (inner) return wordsOf(inner);
    const how = `captured as ${rejected ? "promise rejection" : "exception"}`;
    if (isEvent) {
      const { name } = object.constructor;
      return { type: name, value: `Event \`${name}\` (type=${object.type}) ${how}` };
    }
    const keys = Object.keys(object).sort().join(", ") || "[object has no keys]";
    return { type, value: `Object ${how} with keys: ${keys}` };
  } catch {
    // Anything may be thrown, even what can't be read.
    return { type: "Error", value: browserWords ?? "" };
  }
}

function isError(value: unknown): value is Error {
  return value instanceof Error || /(?:Error|Exception)]$/.test(tagOf(value));
}

function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value);
}

/** What is read may be of any type, and reading it may throw. */
function text(read: () => unknown, otherwise: string): string {
  try {
    return String(read() ?? otherwise);
  } catch {
    return otherwise;
  }
}
