import {
  handleCallbackErrors,
  type Span,
  type StartSpanOptions,
  spanTimeInputToSeconds,
  withScope,
} from "sentry-scopes";
import { sdk } from "../first-load/sdk-link.ts";
import { traceContext } from "../first-load/without-sdk.ts";

/** Of the measures that spans leave before the SDK is there. */
const maxMeasures = 200;

let count = 0;

/**
 * A span before the SDK is there. When it ends, it leaves a measure in the browser's own timeline. If
 * the SDK comes, and the visit is sampled, Sentry's `userTimingIntegration` takes it into the page load.
 */
function measuredSpan({ name, op, attributes, startTime }: StartSpanOptions): Span {
  const { trace_id: traceId, span_id: spanId } = traceContext();
  const detail = { op, ...attributes };
  const start = sincePageLoad(startTime);
  let recording = true;
  const self = () => span;
  const span: Span = {
    // Whether the visit is sampled is not known yet.
    spanContext: () => ({ traceId: traceId as string, spanId, traceFlags: 0 }),
    isRecording: () => recording,
    setAttribute: (key, value) => span.setAttributes({ [key]: value }),
    setAttributes(more) {
      Object.assign(detail, more);
      return span;
    },
    updateName(other) {
      name = other;
      return span;
    },
    // A measure has no place for these.
    setStatus: self,
    addEvent: self,
    addLink: self,
    addLinks: self,
    recordException: self,
    end(at) {
      if (!recording) return;
      recording = false;
      if (count++ >= maxMeasures) return;
      try {
        performance.measure(name, { start, end: sincePageLoad(at), detail });
      } catch {
        // It began before the page, or has an attribute that can't be copied.
      }
    },
  };
  return span;
}

/** @returns milliseconds since the page's load began, of a time in any form that Sentry takes */
function sincePageLoad(time?: Parameters<Span["end"]>[0]): number {
  if (time === undefined) return performance.now();
  return spanTimeInputToSeconds(time) * 1000 - performance.timeOrigin;
}

/** They may end in any order. */
const active = new Set<Span>();

export function getActiveSpan(): Span | undefined {
  return [...active].at(-1) ?? sdk?.getActiveSpan();
}

export function startInactiveSpan(options: StartSpanOptions): Span {
  return sdk ? sdk.startInactiveSpan(options) : measuredSpan(options);
}

/** The callback always runs, with or without the SDK. */
export function startSpanManual<T>(
  options: StartSpanOptions,
  callback: (span: Span, end: () => void) => T,
): T {
  if (sdk) return sdk.startSpanManual(options, callback);
  const span = measuredSpan(options);
  const end = () => span.end();
  active.add(span);
  const settled = () => active.delete(span);
  // In a scope of its own, as with the SDK.
  const run = () => withScope(() => callback(span, end));
  return handleCallbackErrors(run, () => {}, settled) as T;
}

/** The callback always runs, with or without the SDK. */
export function startSpan<T>(options: StartSpanOptions, callback: (span: Span) => T): T {
  if (sdk) return sdk.startSpan(options, callback);
  return startSpanManual(options, (span, end) => {
    const run = () => callback(span);
    return handleCallbackErrors(run, () => {}, end) as T;
  });
}
