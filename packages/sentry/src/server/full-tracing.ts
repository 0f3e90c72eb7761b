import type { TransactionEvent } from "@sentry/core";
import { httpIntegration, type NodeOptions, nativeNodeFetchIntegration } from "@sentry/nextjs";
import { framesPath } from "./development-frames.ts";
import { type ServerOptions, withIntegrations } from "./options.ts";

/**
 * Default integrations left out: they collect private data, or the app does their work itself. `Dedupe`
 * drops an error that looks like the one before, also where that is another visitor's.
 */
const leftOut = [
  "Dedupe",
  "Http",
  "LocalVariablesAsync",
  "Modules",
  "NodeFetch",
  "OnUncaughtException",
  "OnUnhandledRejection",
  "ProcessSession",
];

interface FullTracingOptions {
  /** 0 to 1, asked for each request. */
  rate: () => number;
  /** Whether a request is never traced, by its path and query. */
  isExcluded: (url: string) => boolean;
  /** Where the dispatcher sends reports. */
  serviceUrl: string | undefined;
  /** The team's. */
  own: ServerOptions;
}

/**
 * The options for the SDK's OpenTelemetry set-up: spans inside Next, of databases and of outgoing
 * requests.
 */
export function fullTracing({
  rate,
  isExcluded,
  serviceUrl,
  own,
}: FullTracingOptions): NodeOptions {
  // A traced delivery makes one more report to deliver, endlessly.
  const ignoreOutgoingRequests = (url: string) =>
    (serviceUrl !== undefined && url.startsWith(serviceUrl)) || url.endsWith(framesPath);
  const http = {
    // Next itself makes the spans of incoming requests.
    disableIncomingRequestSpans: true,
    // The server counts documents, see `Sessions`. The integration passes the option on, so its types do not have it.
    sessions: false,
    ignoreOutgoingRequests,
  };
  return {
    enableOpenTelemetrySetup: true,
    integrations: withIntegrations(
      (defaults) => [
        ...defaults.filter(({ name }) => !leftOut.includes(name)),
        httpIntegration(http),
        nativeNodeFetchIntegration({ ignoreOutgoingRequests }),
      ],
      own.integrations,
    ),
    tracesSampler: (span) => {
      const { attributes = {}, parentSampled, inheritOrSampleWith } = span;
      const path = String(attributes["http.target"] ?? "");
      if (isExcluded(path)) return 0;
      // At start, outside of any request, Next makes hundreds of tiny traces.
      if (attributes["next.span_type"] && !path) return 0;
      if (own.tracesSampler) return own.tracesSampler(span);
      // The rate in a client's baggage would count for more than its decision.
      const now = rate();
      return parentSampled === false || now === 0 ? 0 : inheritOrSampleWith(now);
    },
  };
}

/** Names a transaction by method and route, as the errors are. */
export function namedByRoute(transaction: TransactionEvent): TransactionEvent {
  const { op, data } = transaction.contexts?.trace ?? {};
  const route = data?.["http.route"];
  const method = data?.["http.method"] ?? data?.["http.request.method"];
  if (op === "http.server" && typeof route === "string") {
    transaction.transaction = typeof method === "string" ? `${method} ${route}` : route;
  }
  return transaction;
}
