import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import {
  dynamicSamplingContextToSentryBaggageHeader,
  generateSentryTraceHeader,
  generateSpanId,
  getDynamicSamplingContextFromClient,
  getDynamicSamplingContextFromSpan,
  type PropagationContext,
  propagationContextFromHeaders,
  spanIsSampled,
  spanToTraceHeader,
} from "@sentry/core";
import {
  getActiveSpan,
  getClient,
  getCurrentScope,
  getRootSpan,
  type Span,
  setHttpStatus,
  startInactiveSpan,
  withActiveSpan,
} from "@sentry/nextjs";
import { sampleRand } from "../shared/sample-rand.ts";
import { believedDsc } from "./incoming-baggage.ts";
import { routeOfRequest } from "./next-request.ts";
import type { TraceMeta } from "./reporting-state.ts";
import { type Rate, TokenBucket } from "./token-bucket.ts";

/** Sentry's attribute for the kind of name that a span has. */
const nameSource = "sentry.segment.name.source";

/** Of traces that are sampled only because their clients say so, as any client may: 20 a second. */
export const followedTraces: Rate = { burst: 20, perMinute: 1_200 };

interface RequestTracesOptions {
  /** 0 to 1. */
  tracesSampleRate: number;
  /** Whether measuring is worth its cost now. Where it isn't, nothing is sampled. */
  takesMeasurements?: () => boolean;
  /** Whether the team's `tracesSampler` decides in place of the rate. */
  hasSampler?: boolean;
  /** Whether a request is never traced, by its path and query. */
  isExcluded: (url: string) => boolean;
}

/**
 * Request spans without OpenTelemetry. A request's trace is in the scope that it runs in, see
 * `RequestScopes`.
 */
export class RequestTraces {
  readonly #options: Required<RequestTracesOptions>;
  readonly #followed = new TokenBucket(followedTraces);

  constructor(options: RequestTracesOptions) {
    this.#options = { takesMeasurements: () => true, hasSampler: false, ...options };
  }

  /**
   * Runs `serve` at once in the request's trace. If that is sampled, a span lasts until the response
   * is complete. Must be called in a scope of the request's own.
   */
  serve(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const span = this.#begin(request);
    if (!span) {
      serve();
      return;
    }
    response.once("close", () => finish(span, request, response));
    withActiveSpan(span, serve);
  }

  /** Whether the server decides if a trace is sampled. Otherwise the browser does. */
  get #decides(): boolean {
    const { tracesSampleRate, hasSampler, takesMeasurements } = this.#options;
    return tracesSampleRate > 0 || hasSampler || !takesMeasurements();
  }

  /** Puts the request's trace into the current scope, and starts its span if it is sampled. */
  #begin({ url = "/", headers, method = "GET" }: IncomingMessage): Span | undefined {
    const scope = getCurrentScope();
    const random = Math.random();
    const context =
      headers["sentry-trace"] === undefined
        ? { ...scope.getPropagationContext() }
        : incomingContext(headers);
    // Without any, the trace begins here, and this request's random number decides.
    if (!context.dsc) context.sampleRand = random;
    scope.setPropagationContext(context);
    const path = url.split("?", 1)[0] as string;
    if (this.#mayBeSampled(context, url, random)) {
      const span = startRequestSpan(method, path);
      if (spanIsSampled(span)) return span;
    }
    context.propagationSpanId = generateSpanId();
    if (!this.#decides) return undefined;
    context.sampled = false;
    // The number must agree: the request may be one that is never traced, whatever it has drawn.
    const { tracesSampleRate: rate } = this.#options;
    if (!context.dsc && random < rate) context.sampleRand = rate + Math.random() * (1 - rate);
    return undefined;
  }

  /**
   * By the decision or the number of the trace, both of which its client has chosen. Where too many are sampled by
   * that alone, this request's own number takes their place, for the SDK too: as many are sampled as the rate says.
   */
  #mayBeSampled(context: PropagationContext, url: string, random: number): boolean {
    const { tracesSampleRate: rate, hasSampler, takesMeasurements, isExcluded } = this.#options;
    if (!this.#decides || !takesMeasurements()) return false;
    if (isExcluded(url)) return false;
    const isSaid = () => context.sampled ?? context.sampleRand < rate;
    // What a sampler would make of this request's own number is not known before.
    const isClaim = hasSampler ? context.dsc : isSaid() && random >= rate;
    if (context.sampled !== false && !(isClaim ? this.#followed.take() : this.#followed.has())) {
      delete context.sampled;
      context.sampleRand = random;
    }
    return hasSampler || isSaid();
  }

  /** @see currentTraceMeta */
  meta(): TraceMeta {
    const active = getActiveSpan();
    if (active) {
      const span = getRootSpan(active);
      return {
        sentryTrace: spanToTraceHeader(span),
        baggage: dynamicSamplingContextToSentryBaggageHeader(
          getDynamicSamplingContextFromSpan(span),
        ),
      };
    }
    const context = getCurrentScope().getPropagationContext();
    const { traceId, propagationSpanId, sampled } = context;
    return {
      sentryTrace: generateSentryTraceHeader(traceId, propagationSpanId, sampled),
      baggage: dynamicSamplingContextToSentryBaggageHeader(context.dsc ?? this.#dscOf(context)),
    };
  }

  /** The sampling context of a trace that began here. One from elsewhere brings its own. */
  #dscOf({ traceId, sampleRand }: PropagationContext): PropagationContext["dsc"] {
    const client = getClient();
    if (!client) return undefined;
    return {
      ...getDynamicSamplingContextFromClient(traceId, client),
      ...(this.#decides && { sampled: "false" }),
      sample_rand: String(sampleRand),
    };
  }
}

/** The trace that a request comes with, or a new one, which has no `dsc`. */
function incomingContext({
  "sentry-trace": header,
  baggage,
}: IncomingHttpHeaders): PropagationContext {
  const traceHeader = typeof header === "string" ? header : undefined;
  const context = propagationContextFromHeaders(traceHeader, baggage);
  // A page that no request was traced for has only begun a trace: nothing is decided or known of it.
  if (!context.parentSpanId) delete context.dsc;
  // As its browser decides on the visit, and the tunnel.
  if (!context.dsc?.sample_rand) context.sampleRand = sampleRand(context.traceId);
  if (context.dsc)
    context.dsc = believedDsc(context.dsc as Record<string, string>, context.traceId);
  return context;
}

function startRequestSpan(method: string, path: string): Span {
  return startInactiveSpan({
    name: `${method} ${path}`,
    op: "http.server",
    startTime: Date.now() / 1000,
    forceTransaction: true,
    attributes: {
      "sentry.origin": "auto",
      "sentry.kind": "server",
      [nameSource]: "url",
      "http.method": method,
      "http.request.method": method,
      "http.target": path,
      "url.path": path,
    },
  });
}

/**
 * Names the span by method and route, with the attributes that Sentry's own set-up gives it, and sends it.
 * A request without a route (a file, a redirect) has none.
 */
function finish(span: Span, request: IncomingMessage, response: ServerResponse): void {
  const route = routeOfRequest(request);
  if (!route) return;
  span.updateName(`${request.method} ${route}`);
  span.setAttributes({ [nameSource]: "route", "http.route": route, "next.route": route });
  if (response.writableFinished) {
    span.setAttribute("http.status_code", response.statusCode);
    setHttpStatus(span, response.statusCode);
    if (response.statusCode >= 500) span.setAttribute("error.type", String(response.statusCode));
  } else span.setStatus({ code: 2, message: "cancelled" });
  span.end();
}
