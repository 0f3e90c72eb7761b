import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { singleton } from "../shared/singleton.ts";

/** What a page must contain so that the browser continues the server's trace. */
export interface TraceMeta {
  sentryTrace: string;
  /** None if the request came with a trace without baggage. */
  baggage?: string;
}

/**
 * Which part of the code noticed an exception, as Sentry's own set-up names it. Source:
 * `captureRequestError` and `captureUnderscoreErrorException` of @sentry/nextjs, and the integrations
 * `OnUncaughtException` and `OnUnhandledRejection` of @sentry/node.
 */
export const mechanisms = {
  requestError: "auto.function.nextjs.on_request_error",
  errorPage: "auto.function.nextjs.underscore_error",
  uncaughtException: "auto.node.onuncaughtexception",
  unhandledRejection: "auto.node.onunhandledrejection",
} as const;

/** Where an exception occurred. URL, method and trace come from the current request. */
export interface Failure {
  /** Next's name of the route, such as `/dynamic/[id]`, where it is not that of the request. */
  route?: string;
  /** One of `mechanisms`: Sentry's `mechanism.type`. */
  mechanism: string;
  level?: "fatal" | "error";
  /** What Next tells of it: the event's context `nextjs`, in Sentry's words. */
  nextjs?: Record<"request_path" | "router_kind" | "router_path" | "route_type", string>;
}

/** The request that the running code belongs to. */
export interface CurrentRequest {
  readonly method?: string | undefined;
  readonly response?: ServerResponse;
  /** The event ids of its failures, by what was thrown, and by name and message of the error. */
  readonly failures: Map<unknown, string>;
  /** Errors that the log has, or is about to have; `true` for those that it has as the request's failure. */
  readonly logged: Map<unknown, boolean>;
  /** The event id of the latest failure. */
  reference?: string;
  /** Whether this is the error of a request whose client has gone before it was complete. */
  isGivenUp?(error: unknown): boolean;
}

/** What the SDK does for the rest of the app once it has started. */
export interface ServerReporter {
  /**
   * Makes an event in the scope of the current request, unless there were too many.
   *
   * @returns `eventId`, or if there were too many, the id of the latest event of the same kind
   */
  capture(error: unknown, eventId: string, failure: Failure): string;
  /** Nothing for code that no request runs. */
  currentRequest(): CurrentRequest | undefined;
  traceMeta(): TraceMeta | undefined;
  /** Hands to the outbox what the SDK holds back, before it returns. */
  flush(): void;
}

interface Shared {
  reporter?: ServerReporter;
  /** Whether the log has what is written to the console, in place of stdout and stderr. */
  logsConsole?: boolean;
  /** Event ids by error object, for code that no request runs. */
  references: WeakMap<object, string>;
}

/**
 * The state of reporting, which pages and API routes share with instrumentation, where the SDK runs.
 */
export function shared(): Shared {
  return singleton("reporting", () => ({ references: new WeakMap() }));
}

/**
 * What a server-rendered page contains as `<meta name="sentry-trace">` and `<meta name="baggage">`,
 * out of the trace of the current request. Only for pages rendered for this one request: a
 * prerendered or incremental page would give one visitor's trace to everybody.
 *
 * @param headers of the page's response, as far as they are set
 * @returns nothing for a page that shared caches may keep, nor if reporting has not started, as during a
 *   build
 */
export function currentTraceMeta(headers?: OutgoingHttpHeaders): TraceMeta | undefined {
  return isForSharedCaches(headers) ? undefined : shared().reporter?.traceMeta();
}

/**
 * Next itself forbids it where nobody has set `Cache-Control`. With no-cache, none answers by itself. A
 * directive with names of fields binds those alone.
 *
 * @param headers with names in lower case
 */
function isForSharedCaches(headers: OutgoingHttpHeaders = {}): boolean {
  return Object.entries(headers).some(
    ([name, value]) =>
      /^(([a-z]+-)?cdn-)?cache-control$|^surrogate-control$/.test(name) &&
      !/\b(private|no-store|no-cache)\b(?!\s*=)/i.test(String(value)),
  );
}
