import { httpIntegration, type NodeOptions } from "@sentry/nextjs";
import { scrubEvent } from "@/lib/reporting/scrub";

/** Default integrations left out: private data, or done better here. */
const unwanted = [
  "Http",
  "LocalVariablesAsync",
  "Modules",
  "OnUncaughtException",
  "OnUnhandledRejection",
  "ProcessSession",
];

type Transaction = Parameters<NonNullable<NodeOptions["beforeSendTransaction"]>>[0];

/**
 * The SDK's OpenTelemetry set-up: inner spans of Next, spans of databases and outgoing requests.
 *
 * @param rate 0 to 1
 * @param silent paths whose requests are never traced, with all that is done for them
 * @param serviceUrl where the courier delivers
 */
export function fullTracing(
  rate: number,
  silent: readonly string[],
  serviceUrl: string | undefined,
): NodeOptions {
  const http = {
    // Next makes the spans of incoming requests itself.
    disableIncomingRequestSpans: true,
    // Nobody asked for sessions. Handed on to a part of the integration, so not among its own types.
    sessions: false,
    // A traced delivery would be one more report to deliver, without end.
    ignoreOutgoingRequests: (url: string) => serviceUrl !== undefined && url.startsWith(serviceUrl),
  };
  return {
    enableOpenTelemetrySetup: true,
    integrations: (defaults) => [
      ...defaults.filter(({ name }) => !unwanted.includes(name)),
      httpIntegration(http),
    ],
    tracesSampler: ({ attributes = {}, inheritOrSampleWith }) => {
      const path = String(attributes["http.target"] ?? "");
      if (silent.some((prefix) => path.startsWith(prefix))) return 0;
      // What Next does at start, outside of any request, is hundreds of tiny traces.
      if (attributes["next.span_type"] && !path) return 0;
      return inheritOrSampleWith(rate);
    },
    beforeSendTransaction: (transaction) => scrubEvent(namedByRoute(transaction)),
  };
}

/** The same name as without OpenTelemetry, and as the browser and the errors give it. */
function namedByRoute(transaction: Transaction): Transaction {
  const { op, data } = transaction.contexts?.trace ?? {};
  const route = data?.["http.route"];
  if (op === "http.server" && typeof route === "string") transaction.transaction = route;
  return transaction;
}
