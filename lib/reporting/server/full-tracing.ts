import { httpIntegration, type NodeOptions } from "@sentry/nextjs";
import { scrubEvent } from "@/lib/envelope/scrub";

/** Default integrations left out: they collect private data, or the app does their work itself. */
const leftOut = [
  "Http",
  "LocalVariablesAsync",
  "Modules",
  "OnUncaughtException",
  "OnUnhandledRejection",
  "ProcessSession",
];

type Transaction = Parameters<NonNullable<NodeOptions["beforeSendTransaction"]>>[0];

/**
 * The options for the SDK's OpenTelemetry set-up: spans inside Next, of databases and of outgoing
 * requests.
 *
 * @param rate 0 to 1
 * @param untraced requests whose path begins with one of these are never traced
 * @param serviceUrl where the courier sends reports
 */
export function fullTracing(
  rate: number,
  untraced: readonly string[],
  serviceUrl: string | undefined,
): NodeOptions {
  const http = {
    // Next itself makes the spans of incoming requests.
    disableIncomingRequestSpans: true,
    // No sessions. The integration passes the option on, so its types do not have it.
    sessions: false,
    // A traced delivery makes one more report to deliver, endlessly.
    ignoreOutgoingRequests: (url: string) => serviceUrl !== undefined && url.startsWith(serviceUrl),
  };
  return {
    enableOpenTelemetrySetup: true,
    integrations: (defaults) => [
      ...defaults.filter(({ name }) => !leftOut.includes(name)),
      httpIntegration(http),
    ],
    tracesSampler: ({ attributes = {}, parentSampled, inheritOrSampleWith }) => {
      const path = String(attributes["http.target"] ?? "");
      if (untraced.some((prefix) => path.startsWith(prefix))) return 0;
      // At start, outside of any request, Next makes hundreds of tiny traces.
      if (attributes["next.span_type"] && !path) return 0;
      // The rate in a client's baggage would count for more than its decision.
      return parentSampled === false ? 0 : inheritOrSampleWith(rate);
    },
    beforeSendTransaction: (transaction) => scrubEvent(namedByRoute(transaction)),
  };
}

/** Names a transaction by its route, as the browser's transactions and the errors are. */
function namedByRoute(transaction: Transaction): Transaction {
  const { op, data } = transaction.contexts?.trace ?? {};
  const route = data?.["http.route"];
  if (op === "http.server" && typeof route === "string") transaction.transaction = route;
  return transaction;
}
