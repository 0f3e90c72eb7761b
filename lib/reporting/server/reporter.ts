import { getClient, getCurrentScope, getTraceData } from "@sentry/nextjs";
import type { RequestTraces } from "./request-traces";
import type { Failure, ServerReporter } from "./shared";

/**
 * Connects the rest of the app to the started SDK.
 *
 * @param traces none if OpenTelemetry keeps the request's trace
 */
export function sdkReporter(traces: RequestTraces | undefined): ServerReporter {
  return {
    capture(error, eventId, failure) {
      const headers = failure.headers;
      const scope = (headers && traces?.scopeFor(headers)) ?? getCurrentScope();
      const { mechanism } = failure;
      getClient()?.captureException(
        error,
        {
          event_id: eventId,
          originalException: error,
          mechanism: { type: mechanism, handled: false },
        },
        describe(scope.clone(), failure),
      );
    },
    traceMeta(headers) {
      if (traces) return traces.metaFor(headers);
      const { "sentry-trace": sentryTrace, baggage } = getTraceData();
      return sentryTrace ? { sentryTrace, baggage } : undefined;
    },
    flush() {
      const client = getClient();
      client?.emit("flush");
      void client?.getTransport()?.flush();
    },
  };
}

type Scope = ReturnType<typeof getCurrentScope>;

function describe(scope: Scope, { route, method, path, level }: Failure): Scope {
  scope.setTag("side", "server");
  if (level) scope.setLevel(level);
  if (route) scope.setTransactionName(route).setTag("route", route);
  if (method) scope.setTag("method", method);
  if (path) {
    const [url, query] = path.split("?", 2);
    const normalizedRequest = { method, url, query_string: query };
    scope.setSDKProcessingMetadata({ normalizedRequest });
  }
  return scope;
}
