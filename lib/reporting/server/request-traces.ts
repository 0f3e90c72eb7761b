import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  continueTrace,
  getClient,
  getCurrentScope,
  getTraceData,
  Scope,
  type Span,
  setHttpStatus,
  startInactiveSpan,
} from "@sentry/nextjs";
import { routeOf } from "./route-of";
import type { RequestHeaders, TraceMeta } from "./shared";

/** Sentry's attribute that tells what kind of name a span has. */
const nameSource = "sentry.segment.name.source";

/** A request's trace: the scope carries it to error events, the span is there only when sampled. */
interface Trace {
  scope: Scope;
  span?: Span;
}

export interface RequestTracesOptions {
  /** 0 to 1. */
  tracesSampleRate: number;
  /** Paths whose requests are never traced begin with one of these. */
  untraced: readonly string[];
}

/**
 * Request spans without OpenTelemetry and without a context per request: a request that is not
 * sampled costs one look at its URL and one random number.
 *
 * A request's trace is found by its headers object, see `RequestHeaders`.
 */
export class RequestTraces {
  readonly #traces = new WeakMap<object, Trace>();
  readonly #rate: number;
  readonly #untraced: readonly string[];

  constructor({ tracesSampleRate, untraced }: RequestTracesOptions) {
    this.#rate = tracesSampleRate;
    this.#untraced = untraced;
  }

  /** From now on, follows every request that the process's HTTP servers take. */
  watch(): void {
    if (this.#rate === 0) return;
    subscribe("http.server.request.start", (message) => {
      const { request, response } = message as {
        request: IncomingMessage;
        response: ServerResponse;
      };
      this.#begin(request, response);
    });
  }

  /** The scope to capture a request's errors with; begins a trace for a request that has none. */
  scopeFor(headers: RequestHeaders): Scope {
    return this.#traceOf(headers).scope;
  }

  /** @see traceMetaFor */
  metaFor(headers: RequestHeaders): TraceMeta | undefined {
    const { scope, span } = this.#traceOf(headers);
    const { "sentry-trace": sentryTrace, baggage } = getTraceData({ scope, span });
    return sentryTrace ? { sentryTrace, baggage } : undefined;
  }

  #traceOf(headers: RequestHeaders): Trace {
    let trace = this.#traces.get(headers);
    if (!trace) {
      const scope = incomingScope(headers) ?? newScope();
      // With no server traces at all, the browser decides for itself.
      decide(scope, this.#rate === 0 ? undefined : false);
      trace = { scope };
      this.#traces.set(headers, trace);
    }
    return trace;
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const { url = "/", headers } = request;
    if (this.#untraced.some((prefix) => url.startsWith(prefix))) return;
    const sampleRand = Math.random();
    const incoming = headers["sentry-trace"] !== undefined;
    if (!incoming && sampleRand >= this.#rate) return;
    const scope = incomingScope(headers) ?? newScope(sampleRand);
    const span = startInactiveSpan({
      name: request.method ?? "GET",
      op: "http.server",
      scope,
      startTime: Date.now() / 1000,
      forceTransaction: true,
      // An unknown name is kept out of what is handed on with the trace.
      attributes: { [nameSource]: "url", "http.request.method": request.method ?? "GET" },
    });
    const sampled = span.isRecording();
    decide(scope, sampled, sampled ? span.spanContext().spanId : undefined);
    this.#traces.set(headers, sampled ? { scope, span } : { scope });
    if (sampled) response.once("close", () => finish(span, request, response));
  }
}

/** Names the span by its route and sends it; what matched no route (a file, a redirect) is let go. */
function finish(span: Span, request: IncomingMessage, response: ServerResponse): void {
  const route = routeOf(request);
  if (!route) return;
  span.updateName(route);
  span.setAttributes({ [nameSource]: "route", "http.route": route });
  if (response.writableFinished) setHttpStatus(span, response.statusCode);
  else span.setStatus({ code: 2, message: "cancelled" });
  span.end();
}

/** The scope of the trace that the browser is in, where it says so. */
function incomingScope(headers: RequestHeaders): Scope | undefined {
  const { "sentry-trace": sentryTrace, baggage } = headers;
  if (typeof sentryTrace !== "string") return undefined;
  return continueTrace({ sentryTrace, baggage }, () => getCurrentScope().clone());
}

function newScope(sampleRand = Math.random()): Scope {
  const scope = new Scope();
  scope.setClient(getClient());
  scope.setPropagationContext({ traceId: randomHex(32), sampleRand });
  return scope;
}

/** Writes the decision, and the span that errors and the browser's spans hang on, into the scope. */
function decide(scope: Scope, sampled: boolean | undefined, spanId = randomHex(16)): void {
  const context = scope.getPropagationContext();
  scope.setPropagationContext({ ...context, sampled, propagationSpanId: spanId });
}

function randomHex(digits: number): string {
  let hex = "";
  while (hex.length < digits) hex += Math.random().toString(16).slice(2, 10).padEnd(8, "0");
  return hex.slice(0, digits);
}
