import type { IncomingMessage, ServerResponse } from "node:http";
import { type Event, getIsolationScope, withIsolationScope } from "@sentry/nextjs";
import { peerOf } from "@signpost/relay/http";
import proxyAddr from "proxy-addr";
import { keepBelievedBaggage } from "./incoming-baggage.ts";
import { routeOfRequest } from "./next-request.ts";
import type { CurrentRequest } from "./reporting-state.ts";
import { followedTraces, type RequestTraces } from "./request-traces.ts";
import { TokenBucket } from "./token-bucket.ts";

/** A request as it arrived, before Next changes its URL. */
class ScopedRequest implements CurrentRequest {
  readonly failures = new Map<unknown, string>();
  readonly logged = new Map<unknown, boolean>();
  reference?: string;
  /** As Sentry's `event.request`. */
  readonly data: { method: string | undefined; url: string; query_string: string | undefined };

  constructor(
    private readonly request: IncomingMessage,
    readonly response: ServerResponse,
    origin: string,
  ) {
    const { method } = request;
    const url = pathOf(request.url ?? "/");
    const end = url.indexOf("?");
    this.data = {
      method,
      url: origin + (end < 0 ? url : url.slice(0, end)),
      query_string: end < 0 ? undefined : url.slice(end + 1),
    };
  }

  isGivenUp(error: unknown): boolean {
    return error !== null && this.request.errored === error;
  }

  get method(): string | undefined {
    return this.data.method;
  }

  get route(): string | undefined {
    return routeOfRequest(this.request);
  }
}

/** Data that the SDK copies from an isolation scope to its clones and events, and never sends. */
interface Metadata {
  /** A function, because the SDK copies objects. */
  signpostRequest?: () => ScopedRequest;
}

/** Gives each request an isolation scope and a trace of its own. */
export class RequestScopes {
  readonly #followed = new TokenBucket(followedTraces);
  readonly #trusts: (address: string, hop: number) => boolean;

  /**
   * @param traces none if OpenTelemetry keeps the request's trace
   * @param trustedProxies addresses and ranges in the syntax of proxy-addr
   */
  constructor(
    private readonly traces: RequestTraces | undefined,
    trustedProxies: string[] = [],
  ) {
    this.#trusts = proxyAddr.compile(trustedProxies);
  }

  /**
   * For OpenTelemetry, before it reads the headers: removes the trace from a request that is one too
   * many, which then begins a trace of its own. A trace that is not sampled may stay. Never throws.
   */
  limitTrace({ headers }: IncomingMessage): void {
    if (this.traces) return;
    try {
      keepBelievedBaggage(headers);
    } catch {
      delete headers.baggage;
    }
    const trace = headers["sentry-trace"];
    if (trace === undefined || String(trace).endsWith("-0")) return;
    if (this.#followed.take()) return;
    delete headers["sentry-trace"];
    delete headers.baggage;
  }

  /** Runs `serve` at once, and with it all that it awaits, streams and times out, in a scope of its own. */
  serve(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    // Next is the first to read these.
    if (request.httpVersionMajor > 1) this.limitTrace(request);
    const scoped = new ScopedRequest(request, response, this.#originOf(request));
    withIsolationScope((scope) => {
      const metadata: Metadata = { signpostRequest: () => scoped };
      scope.setSDKProcessingMetadata({ normalizedRequest: scoped.data, ...metadata });
      if (this.traces) this.traces.serve(request, response, serve);
      else serve();
    });
  }

  /**
   * The origin that the client used, as a trusted proxy tells it: a `Host` that came without one is what any
   * client may write, and would stand as a link in the report.
   *
   * @returns empty where it is not known; of a request on the machine itself, that
   */
  #originOf(request: IncomingMessage): string {
    const { headers, socket } = request;
    const { host = "" } = headers;
    const peer = peerOf(request);
    const isTrusted = peer !== undefined && this.#trusts(peer, 0);
    if (!(isTrusted ? plainHost : loopbackHost).test(host)) return "";
    const forwarded = isTrusted ? String(headers["x-forwarded-proto"] ?? "") : "";
    const secure = "encrypted" in socket || /^https\b/i.test(forwarded);
    return `${secure ? "https" : "http"}://${host}`;
  }

  /** Says of an event which request it belongs to. */
  describe(event: Event): Event {
    const request = (event.sdkProcessingMetadata as Metadata | undefined)?.signpostRequest?.();
    // This goes over the SDK's data, whose URL of a transaction is the route.
    if (request) event.request = { ...event.request, ...request.data };
    const { method } = request?.data ?? {};
    const { route } = request ?? {};
    if (event.type === "feedback" && route) event.transaction = `${method} ${route}`;
    if (event.type !== undefined) return withResponse(event);
    event.tags = {
      side: "server",
      ...(method && { method }),
      ...(route && { route }),
      ...event.tags,
    };
    // OpenTelemetry names it by the method, and by the path or the route.
    if (route && (!event.transaction || event.transaction.startsWith(`${method} /`))) {
      event.transaction = `${method} ${route}`;
    }
    return event;
  }
}

/** A transaction's response is a context too, as OpenTelemetry's exporter makes it. */
function withResponse(event: Event): Event {
  const status = event.contexts?.trace?.data?.["http.response.status_code"];
  if (status === undefined) return event;
  event.contexts = { response: { status_code: status }, ...event.contexts };
  return event;
}

/** The request that the running code belongs to. */
export function currentRequest(): CurrentRequest | undefined {
  const { sdkProcessingMetadata } = getIsolationScope().getScopeData();
  return (sdkProcessingMetadata as Metadata).signpostRequest?.();
}

/** A client may send a whole URL, or a second slash: either would name a host. */
function pathOf(target: string): string {
  return `/${target.replace(/^(https?:\/\/[^/?]*)?\/*/i, "")}`;
}

const plainHost = /^[\w.:[\]-]{1,255}$/;
const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;
