import type { IncomingMessage, ServerResponse } from "node:http";
import {
  getClient,
  getCurrentScope,
  Scope,
  type Span,
  setHttpStatus,
  startInactiveSpan,
} from "@sentry/nextjs";
import { routeOf } from "./route-of";
import type { RequestHeaders, TraceMeta } from "./shared";
import { incomingTrace, newTrace, type TraceContext, traceMetaOf } from "./trace-context";

/** Sentry's attribute that tells what kind of name a span has. */
const nameSource = "sentry.segment.name.source";

/** Whoever asks may claim that its trace is sampled; this is how far it is believed. */
const followedPerSecond = 20;

export interface RequestTracesOptions {
  /** 0 to 1. */
  tracesSampleRate: number;
  /** Paths whose requests are never traced begin with one of these. */
  untraced: readonly string[];
  /** What is handed on with every trace: key, release, environment. */
  known: Record<string, string>;
}

/**
 * Request spans without OpenTelemetry and without a context per request: a request that is not
 * sampled costs a random number. A request's trace is found by its headers object, see
 * `RequestHeaders`.
 *
 * Nothing here may enter a scope of the SDK (`withScope`, `continueTrace`, a span's `scope`
 * option): that is an AsyncLocalStorage, and its first use makes Node follow every promise from
 * then on, which costs each later request about a fifth.
 */
export class RequestTraces {
  readonly #traces = new WeakMap<object, TraceContext>();
  readonly #rate: number;
  readonly #untraced: readonly string[];
  readonly #known: Record<string, string>;
  #second = 0;
  #followed = 0;

  constructor({ tracesSampleRate, untraced, known }: RequestTracesOptions) {
    this.#rate = tracesSampleRate;
    this.#untraced = untraced;
    this.#known = known;
  }

  /** A scope to capture a request's errors with. */
  scopeFor(headers: RequestHeaders): Scope {
    const { spanId, ...context } = this.#traceOf(headers);
    const scope = new Scope();
    scope.setClient(getClient());
    scope.setPropagationContext({ ...context, propagationSpanId: spanId });
    return scope;
  }

  /** @see traceMetaFor */
  metaFor(headers: RequestHeaders): TraceMeta {
    return traceMetaOf(this.#traceOf(headers));
  }

  /** The request's trace; begins one, not sampled, for a request that has none. */
  #traceOf(headers: RequestHeaders): TraceContext {
    let trace = this.#traces.get(headers);
    if (!trace) {
      trace = incomingTrace(headers) ?? newTrace(Math.random(), this.#known);
      // With no server traces at all, the browser decides for itself.
      if (this.#rate > 0) {
        trace.sampled = false;
        trace.dsc.sampled ??= "false";
      }
      this.#traces.set(headers, trace);
    }
    return trace;
  }

  /** Whether one more trace may be followed that is sampled only because the client says so. */
  #mayFollow(): boolean {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#followed = 0;
    }
    this.#followed += 1;
    return this.#followed <= followedPerSecond;
  }

  /** Begins the request's trace if it is sampled, and ends it with the response. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    if (this.#rate === 0) return;
    const { url = "/", headers, method = "GET" } = request;
    const sampleRand = Math.random();
    if (sampleRand >= this.#rate && headers["sentry-trace"] === undefined) return;
    const trace = incomingTrace(headers) ?? newTrace(sampleRand, this.#known);
    trace.sampled ??= trace.sampleRand < this.#rate;
    if (!trace.sampled || this.#untraced.some((prefix) => url.startsWith(prefix))) return;
    if (sampleRand >= this.#rate && !this.#mayFollow()) return;
    trace.dsc.sampled ??= "true";
    trace.dsc.sample_rate ??= String(this.#rate);
    const span = startSpanIn(trace, method);
    trace.spanId = span.spanContext().spanId;
    this.#traces.set(headers, trace);
    response.once("close", () => finish(span, request, response));
  }
}

/** Lends the trace to the current scope for as long as the span is made, which is at once. */
function startSpanIn({ spanId: _, ...context }: TraceContext, method: string): Span {
  const scope = getCurrentScope();
  const lender = scope.getPropagationContext();
  scope.setPropagationContext(context);
  try {
    return startInactiveSpan({
      name: method,
      op: "http.server",
      startTime: Date.now() / 1000,
      forceTransaction: true,
      attributes: { [nameSource]: "url", "http.request.method": method },
    });
  } finally {
    scope.setPropagationContext(lender);
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
