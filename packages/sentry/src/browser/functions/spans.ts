import {
  _INTERNAL_setSpanForScope,
  getActiveSpan,
  getCurrentScope,
  getRootSpan,
  handleCallbackErrors,
  type Scope,
  type Span,
  type SpanAttributes,
  type SpanStatus,
  type StartSpanOptions,
  type StreamedSpanJSON,
  spanTimeInputToSeconds,
  withScope,
} from "sentry-scopes";
import type { Scopes } from "../first-load/error-queue.ts";
import { Arrival, sdk, standIn } from "../first-load/sdk-link.ts";
import { sampled } from "../first-load/visit.ts";
import { newSpanId, traceId as visitTraceId } from "../first-load/without-sdk.ts";
import { scopesOfNow } from "./interim-client.ts";

/** Of the spans that wait for the SDK; later ones are not sent. */
const maxWaiting = 200;

let count = 0;

/** Of spans that have ended, in their order: a transaction takes those that have ended before it. */
const ends: (() => void)[] = [];

/** What spans of the SDK's have beside their type, but for those of a visit that is not sampled. */
interface EarlySpan extends Span {
  getSpanJSON?(): StreamedSpanJSON;
}

/**
 * A span before the SDK is there. When that comes, in a visit that is sampled, it is one of the page load's, or
 * its parent's, with all that it was given, its own id and its own times.
 */
function earlySpan(options: StartSpanOptions): EarlySpan {
  const { op, attributes, startTime, parentSpan, scope = getCurrentScope() } = options;
  const parent = parentSpan === undefined ? getActiveSpan(scope) : parentSpan;
  const isKept = count++ < maxWaiting;
  const spanId = newSpanId();
  const { traceId } = parent?.spanContext() ?? scope.getPropagationContext();
  const json: StreamedSpanJSON = {
    name: options.name,
    span_id: spanId,
    trace_id: traceId,
    parent_span_id: parent?.spanContext().spanId,
    start_timestamp: spanTimeInputToSeconds(startTime),
    end_timestamp: undefined,
    is_segment: !parent,
    status: "ok",
    attributes: { "sentry.origin": "manual", ...(op && { "sentry.op": op }), ...attributes },
  };
  const real = new Arrival<Span>();
  /** Those of its end: a transaction bears what they tell. */
  let scopes: Scopes | undefined;
  /** What has no place in these, is told the real one. */
  const later =
    (name: "addEvent" | "addLink" | "addLinks" | "recordException" | "setStatus") =>
    (...args: unknown[]) => {
      real.on((arrived) => (arrived[name] as (...args: unknown[]) => void)(...args));
      return span;
    };
  const own = {
    // By this the SDK finds the root of a span.
    _sentryRootSpan: parent && getRootSpan(parent),
    // Whether the visit is sampled may not be known yet.
    spanContext: () => ({ traceId, spanId, traceFlags: Number(Boolean(sampled)) }),
    isRecording: () => !json.end_timestamp,
    setAttribute: (key: string, value: never) => own.setAttributes({ [key]: value }),
    setAttributes(more: object) {
      Object.assign(json.attributes, more);
      return span;
    },
    updateName(name: string) {
      json.name = name;
      return span;
    },
    setStatus(status: SpanStatus) {
      json.status = status.code === 2 ? "error" : "ok";
      return later("setStatus")(status);
    },
    addEvent: later("addEvent"),
    addLink: later("addLink"),
    addLinks: later("addLinks"),
    recordException: later("recordException"),
    end(at?: Parameters<Span["end"]>[0]) {
      if (json.end_timestamp) return;
      const end = spanTimeInputToSeconds(at);
      json.end_timestamp = end;
      if (!isKept) return;
      scopes = scopesOfNow(scope);
      ends.push(() => real.now?.end(end));
    },
    // By these the SDK knows a span of its own.
    getSpanJSON: () => json,
    getStaticSpanJSON: () => ({
      ...{ span_id: spanId, trace_id: traceId, parent_span_id: json.parent_span_id },
      ...{ start_timestamp: json.start_timestamp, timestamp: json.end_timestamp },
      ...{ description: json.name, data: json.attributes, status: json.status },
      ...{ op: json.attributes["sentry.op"], origin: json.attributes["sentry.origin"] },
    }),
  };
  const span = standIn<EarlySpan>(own, real as Arrival<EarlySpan>);
  if (isKept) {
    sdk.on((running) => {
      // Of its parent or else of the page load, as the SDK has it, unless the app has begun it in another trace.
      const place = scope.clone();
      const ofVisit = traceId === visitTraceId ? running.getActiveSpan() : undefined;
      _INTERNAL_setSpanForScope(place, parent ?? ofVisit);
      const { name, start_timestamp: startTime } = json;
      const attributes = json.attributes as SpanAttributes;
      const given = { ...options, name, attributes, scope: place, spanId, startTime };
      const begin = () => real.come(running.startInactiveSpan(given));
      if (scopes) running.inScopes(scopes, begin);
      else begin();
      // Once all are there.
      queueMicrotask(() => {
        for (const end of ends.splice(0)) end();
      });
    });
  }
  return span;
}

export function startInactiveSpan(options: StartSpanOptions): Span {
  return sdk.now ? sdk.now.startInactiveSpan(options) : earlySpan(options);
}

/** The SDK does it in the same way. Its own function stands beside much that a page doesn't need. */
export function withActiveSpan<T>(span: Span | null, callback: (scope: Scope) => T): T {
  return withScope((scope) => {
    _INTERNAL_setSpanForScope(scope, span ?? undefined);
    return callback(scope);
  });
}

/** The callback always runs, with or without the SDK. */
export function startSpanManual<T>(
  options: StartSpanOptions,
  callback: (span: Span, end: () => void) => T,
): T {
  if (sdk.now) return sdk.now.startSpanManual(options, callback);
  const span = earlySpan(options);
  const fail = () => {
    if (span.getSpanJSON?.().status === "ok")
      span.setStatus({ code: 2, message: "internal_error" });
  };
  const run = () => callback(span, () => span.end());
  return withScope(options.scope?.clone(), () =>
    withActiveSpan(span, () => handleCallbackErrors(run, fail) as T),
  );
}

/** The callback always runs, with or without the SDK. */
export function startSpan<T>(options: StartSpanOptions, callback: (span: Span) => T): T {
  if (sdk.now) return sdk.now.startSpan(options, callback);
  return startSpanManual(options, (span, end) => {
    const run = () => callback(span);
    return handleCallbackErrors(run, () => {}, end) as T;
  });
}
