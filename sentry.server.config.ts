import {
  init,
  linkedErrorsIntegration,
  type NodeOptions,
  requestDataIntegration,
} from "@sentry/nextjs";
import { buildId } from "@/lib/config/build";
import type { RuntimeConfig } from "@/lib/config/runtime";
import { scrubbing } from "@/lib/envelope/scrub-envelope";
import { locales } from "@/lib/messages/locales";
import { FollowedTraces } from "@/lib/reporting/server/followed-traces";
import { fullTracing } from "@/lib/reporting/server/full-tracing";
import { sdkReporter } from "@/lib/reporting/server/reporter";
import { RequestTraces, type RequestTracing } from "@/lib/reporting/server/request-traces";
import { shared } from "@/lib/reporting/server/shared";
import { outboxTransport, pendingLimit } from "@/lib/reporting/server/transport";
import { type ReportStore, WaitingReports } from "@/lib/reporting/server/waiting-reports";
import { dataUrlOf } from "@/lib/routes/location";
import { untracedPages } from "@/lib/routes/routes";

/** In place of the project's key. */
const publicKey = "signpost";

export interface ServerReportingOptions {
  config: RuntimeConfig;
  basePath: string;
  tunnelPath: string;
  store: ReportStore;
  /** Whether measuring is worth its cost now. */
  takesMeasurements?: () => boolean;
}

/**
 * Starts Sentry's SDK in the server. The webpack build imports this file by its name into every server
 * bundle, so importing it must do nothing.
 *
 * @returns traces of requests, each to be begun by the caller
 */
export function start({
  config,
  basePath,
  tunnelPath,
  store,
  takesMeasurements = () => true,
}: ServerReportingOptions): RequestTracing {
  const build = config.production ? buildId() : "development";
  const untracedData = untracedPages.flatMap((path) =>
    locales.map((locale) => dataUrlOf(build, { path, locale }).replace(/\.json$/, "")),
  );
  const untraced = [`${basePath}/api/health/`, tunnelPath, ...untracedData];
  const full = config.serverTracing === "full";
  const reports = new WaitingReports(store);
  process.once("exit", () => reports.logLost());
  const options: NodeOptions = {
    // Not the real one, because pages pass its key to the browser with the trace. Delivery puts the
    // real one in. Without any, the SDK would do nothing.
    dsn: `http://${publicKey}@localhost/0`,
    release: config.release,
    environment: config.environment,
    tracesSampleRate: config.serverTracesSampleRate,
    // Older and other Sentry-compatible services know transactions, but not streamed spans.
    traceLifecycle: "static",
    transport: scrubbing(outboxTransport(reports)),
    transportOptions: { bufferSize: pendingLimit },
    // The outbox counts what is dropped, and logs what it can't count.
    sendClientReports: false,
    dataCollection: {
      userInfo: false,
      cookies: false,
      httpHeaders: false,
      httpBodies: [],
      databaseQueryData: false,
      queues: false,
      stackFrameVariables: false,
      graphQL: { document: false, variables: false },
      genAI: { inputs: false, outputs: false },
    },
    ...(full
      ? fullTracing({
          rate: () => (takesMeasurements() ? config.serverTracesSampleRate : 0),
          untraced,
          serviceUrl: config.dsn?.envelopeUrl,
        })
      : leanTracing()),
  };
  init(options);
  const traces = full
    ? undefined
    : new RequestTraces({
        tracesSampleRate: config.serverTracesSampleRate,
        takesMeasurements,
        untraced: [`${basePath}/_next/static/`, `${basePath}/_next/image`, ...untraced],
      });
  shared().reporter = sdkReporter({
    traces,
    onTooMany: () =>
      reports.countDropped({ reason: "backpressure", category: "error", quantity: 1 }),
  });
  return traces ?? tracedByOpenTelemetry();
}

/** OpenTelemetry begins the traces, with what the headers say by then. */
function tracedByOpenTelemetry(): RequestTracing {
  const followed = new FollowedTraces();
  return { begin: ({ headers }) => followed.limit(headers) };
}

/** Errors only, so that a request costs nothing more. `RequestTraces` makes the spans of requests. */
function leanTracing(): NodeOptions {
  return {
    enableOpenTelemetrySetup: false,
    enableRuntimeChannelInjection: false,
    defaultIntegrations: false,
    integrations: [linkedErrorsIntegration(), requestDataIntegration()],
  };
}
