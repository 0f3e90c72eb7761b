import type { IncomingMessage } from "node:http";
import { processWide } from "@/lib/process-wide";

/**
 * Identifies a request: Next wraps the request itself several times, but passes on the same headers
 * object.
 */
export type RequestHeaders = NodeJS.Dict<string | string[]>;

/** What a page must contain so that the browser continues the server's trace. */
export interface TraceMeta {
  sentryTrace: string;
  /** None if the request came with a trace without baggage. */
  baggage?: string;
}

/** Where an exception occurred. */
export interface Failure {
  /** Next's name of the route, such as `/dynamic/[id]`. */
  route?: string;
  method?: string;
  /** Path and query. */
  path?: string;
  headers?: RequestHeaders;
  /** Which part of the code noticed, as Sentry's `mechanism.type`. */
  mechanism: string;
  level?: "fatal" | "error";
}

/** What the SDK does for the rest of the app once it has started. */
export interface ServerReporter {
  /**
   * Makes an event, unless there were too many.
   *
   * @returns the id of the event that says most about the error: `eventId`, or that of one alike
   */
  capture(error: unknown, eventId: string, failure: Failure): string;
  traceMeta(headers: RequestHeaders): TraceMeta | undefined;
  /** Sends the transactions that the transport holds back, before it returns. */
  flush(): void;
}

interface Shared {
  reporter?: ServerReporter;
  /** Event ids, by error object, and by the headers object of the request that failed. */
  references: WeakMap<object, string>;
  /** The errors of each failed request, by its headers object: event ids by name and message. */
  failures: WeakMap<RequestHeaders, Map<string, string>>;
}

/**
 * The state of reporting, which pages and API routes share with instrumentation, where the SDK runs.
 */
export function shared(): Shared {
  return processWide("reporting", () => ({ references: new WeakMap(), failures: new WeakMap() }));
}

/**
 * What a server-rendered page contains as `<meta name="sentry-trace">` and `<meta name="baggage">`.
 * Only for pages rendered for this one request: a prerendered or incremental page would give one
 * visitor's trace to everybody.
 *
 * @returns nothing if reporting has not started, as during a build
 */
export function traceMetaFor(req: IncomingMessage): TraceMeta | undefined {
  return shared().reporter?.traceMeta(req.headers);
}
