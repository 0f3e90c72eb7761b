import { processWide } from "@/lib/process-wide.js";

/** A request is known by its headers object: Next hands on that very one, wrapped or not. */
export type RequestHeaders = NodeJS.Dict<string | string[]>;

/** What a page must carry so that the browser goes on with the server's trace. */
export interface TraceMeta {
  sentryTrace: string;
  /** None where the request came with a trace that has none. */
  baggage?: string;
}

/** Where and how an exception came up. */
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

/** What the SDK does for the rest of the app once it is started. */
export interface Reporter {
  capture(error: unknown, eventId: string, failure: Failure): void;
  traceMeta(headers: RequestHeaders): TraceMeta | undefined;
  /** Hands over, before it returns, the transactions that are held back for a moment. */
  flush(): void;
}

interface Shared {
  reporter?: Reporter;
  /** Event ids, by error object, and by the headers object of the request that failed. */
  references: WeakMap<object, string>;
  /** Of each request that failed, by its headers object: event ids, by what the errors say. */
  failures: WeakMap<RequestHeaders, Map<string, string>>;
}

/**
 * One per process: instrumentation, pages and API routes have module instances of their own, and
 * only instrumentation loads the SDK.
 */
export function shared(): Shared {
  return processWide("reporting", () => ({ references: new WeakMap(), failures: new WeakMap() }));
}
