import { getClient, getCurrentScope, getTraceData } from "@sentry/nextjs";
import { ReportLimit, reportKey } from "./report-limit";
import { reportBegins, reportEnds } from "./reports-under-way";
import type { RequestTraces } from "./request-traces";
import type { Failure, ServerReporter } from "./shared";

interface ReporterOptions {
  /** None if OpenTelemetry keeps the request's trace. */
  traces: RequestTraces | undefined;
  /** Called for each report that was one too many. */
  onTooMany: () => void;
  /** Milliseconds of any clock that only goes forward. */
  now?: () => number;
}

/** Connects the rest of the app to the started SDK. */
export function sdkReporter({ traces, onTooMany, now }: ReporterOptions): ServerReporter {
  const limit = new ReportLimit(now);
  // However many requests fail, the end of the process is reported.
  const crashLimit = new ReportLimit(now);
  // The SDK's transport has stored the event by then.
  getClient()?.on("afterSendEvent", ({ event_id }) => reportEnds(event_id));
  return {
    capture(error, eventId, failure) {
      const share = failure.level === "fatal" ? crashLimit : limit;
      const { allowed, latest = eventId } = share.take(reportKey(error, failure), eventId);
      if (!allowed) {
        onTooMany();
        return latest;
      }
      const headers = failure.headers;
      const scope = (headers && traces?.scopeFor(headers)) ?? getCurrentScope();
      const { mechanism } = failure;
      reportBegins(eventId);
      getClient()?.captureException(
        error,
        {
          event_id: eventId,
          originalException: error,
          mechanism: { type: mechanism, handled: false },
        },
        describe(scope.clone(), failure),
      );
      return eventId;
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
