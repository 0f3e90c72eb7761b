import type { IncomingMessage, ServerResponse } from "node:http";
import {
  dynamicSamplingContextToSentryBaggageHeader,
  generateSentryTraceHeader,
  generateSpanId,
  getDynamicSamplingContextFromClient,
  getDynamicSamplingContextFromSpan,
  propagationContextFromHeaders,
} from "@sentry/core";
import {
  getClient,
  getCurrentScope,
  Scope,
  type Span,
  setHttpStatus,
  startInactiveSpan,
} from "@sentry/nextjs";
import { FollowedTraces } from "./followed-traces";
import { routeOfRequest } from "./next-request";
import type { RequestHeaders, TraceMeta } from "./shared";

type TraceContext = ReturnType<Scope["getPropagationContext"]>;

/** Sentry's attribute for the kind of name that a span has. */
const nameSource = "sentry.segment.name.source";

/**
 * What a client's baggage may say of its trace. Whatever else it holds is not handed on.
 * Source: https://develop.sentry.dev/sdk/telemetry/traces/dynamic-sampling-context/
 */
const dscKeys = [
  "trace_id",
  "public_key",
  "sample_rate",
  "sample_rand",
  "sampled",
  "release",
  "environment",
  "transaction",
  "user_id",
  "user_segment",
  "replay_id",
  "org_id",
] as const;
const maxDscValueLength = 500;

/** What reporting does as soon as a request arrives. */
export type RequestTracing = Pick<RequestTraces, "begin">;

export interface RequestTracesOptions {
  /** 0 to 1. */
  tracesSampleRate: number;
  /** Whether measuring is worth its cost now. Where it isn't, nothing is sampled. */
  takesMeasurements?: () => boolean;
  /** Requests whose path begins with one of these are never traced. */
  untraced: readonly string[];
}

/**
 * Request spans without OpenTelemetry and without a context per request: a request that is not
 * sampled costs one random number. A request's trace is found by its headers object, see
 * `RequestHeaders`.
 *
 * Nothing here may enter a scope of the SDK (`withScope`, `continueTrace`, a span's `scope`
 * option): that is an AsyncLocalStorage, and its first use makes Node follow every promise from
 * then on, which costs each later request about a fifth.
 */
export class RequestTraces {
  readonly #contexts = new WeakMap<RequestHeaders, TraceContext>();
  readonly #rate: number;
  readonly #takesMeasurements: () => boolean;
  readonly #untraced: readonly string[];
  readonly #followed = new FollowedTraces();

  constructor({ tracesSampleRate, takesMeasurements, untraced }: RequestTracesOptions) {
    this.#rate = tracesSampleRate;
    this.#takesMeasurements = takesMeasurements ?? (() => true);
    this.#untraced = untraced;
  }

  /** A scope to capture a request's errors with, in the request's trace. */
  scopeFor(headers: RequestHeaders): Scope {
    const scope = new Scope();
    scope.setClient(getClient());
    scope.setPropagationContext(this.#contextOf(headers));
    return scope;
  }

  /** @see traceMetaFor */
  metaFor(headers: RequestHeaders): TraceMeta {
    const { traceId, propagationSpanId, sampled, dsc } = this.#contextOf(headers);
    return {
      sentryTrace: generateSentryTraceHeader(traceId, propagationSpanId, sampled),
      baggage: dynamicSamplingContextToSentryBaggageHeader(dsc),
    };
  }

  /** The request's trace. A request without a sampled one gets one that is not sampled. */
  #contextOf(headers: RequestHeaders): TraceContext {
    let context = this.#contexts.get(headers);
    if (!context) {
      context = this.#unsampledContext(headers);
      this.#contexts.set(headers, context);
    }
    return context;
  }

  #unsampledContext(headers: RequestHeaders): TraceContext {
    const context = incomingContext(headers);
    context.propagationSpanId = generateSpanId();
    // If the server traces nothing at all, the browser decides for itself.
    const decided = this.#rate > 0 || !this.#takesMeasurements();
    if (decided) context.sampled = false;
    const client = getClient();
    // A trace that came with the request keeps what its first service said of it.
    if (!context.dsc && client) {
      context.dsc = getDynamicSamplingContextFromClient(context.traceId, client);
      if (decided) {
        context.sampleRand = this.#rate + Math.random() * (1 - this.#rate);
        context.dsc.sampled = "false";
      }
      context.dsc.sample_rand = String(context.sampleRand);
    }
    return context;
  }

  /** Begins the request's trace if it is sampled, and ends it with the response. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    if (this.#rate === 0) return;
    const { url = "/", headers, method = "GET" } = request;
    const random = Math.random();
    const chosen = random < this.#rate;
    if (!chosen && headers["sentry-trace"] === undefined) return;
    if (!this.#takesMeasurements()) return;
    if (this.#untraced.some((prefix) => url.startsWith(prefix))) return;
    const context = incomingContext(headers);
    // Without any, the trace begins here, and this request's random number decides.
    if (!context.dsc) context.sampleRand = random;
    const sampled = context.sampled ?? context.sampleRand < this.#rate;
    if (!sampled) return;
    if (!chosen && !this.#followed.mayFollow()) return;
    const span = startSpanIn(context, method);
    this.#contexts.set(headers, {
      ...context,
      sampled,
      propagationSpanId: span.spanContext().spanId,
      dsc: getDynamicSamplingContextFromSpan(span),
    });
    response.once("close", () => finish(span, request, response));
  }
}

/** The trace that a request comes with, or a new one, which has no `dsc`. */
function incomingContext({ "sentry-trace": header, baggage }: RequestHeaders): TraceContext {
  const traceHeader = typeof header === "string" ? header : undefined;
  const context = propagationContextFromHeaders(traceHeader, baggage);
  if (context.dsc) context.dsc = knownDsc(context.dsc);
  return context;
}

function knownDsc(dsc: Record<string, unknown>): TraceContext["dsc"] {
  const known = dscKeys.flatMap((key) => {
    const value = dsc[key];
    return typeof value === "string" && value.length <= maxDscValueLength ? [[key, value]] : [];
  });
  return Object.fromEntries(known);
}

/** Puts the trace into the current scope while it starts the span, and takes it out at once. */
function startSpanIn(context: TraceContext, method: string): Span {
  const scope = getCurrentScope();
  const before = scope.getPropagationContext();
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
    scope.setPropagationContext(before);
  }
}

/** Names the span by its route and sends it. A request without a route (a file, a redirect) has none. */
function finish(span: Span, request: IncomingMessage, response: ServerResponse): void {
  const route = routeOfRequest(request);
  if (!route) return;
  span.updateName(route);
  span.setAttributes({ [nameSource]: "route", "http.route": route });
  if (response.writableFinished) setHttpStatus(span, response.statusCode);
  else span.setStatus({ code: 2, message: "cancelled" });
  span.end();
}
