import {
  init,
  linkedErrorsIntegration,
  type NodeOptions,
  requestDataIntegration,
} from "@sentry/nextjs";
import { buildId } from "@/lib/config/build.js";
import type { RuntimeConfig } from "@/lib/config/runtime.js";
import { scrub, scrubEvent } from "@/lib/envelope/scrub";
import { locales } from "@/lib/messages/locales";
import { fullTracing } from "@/lib/reporting/server/full-tracing";
import { sdkReporter } from "@/lib/reporting/server/reporter";
import { RequestTraces } from "@/lib/reporting/server/request-traces";
import { shared } from "@/lib/reporting/server/shared";
import { outboxTransport, pendingLimit } from "@/lib/reporting/server/transport";
import { type ReportStore, WaitingReports } from "@/lib/reporting/server/waiting-reports";

/** Stands where a project's key must stand. */
const publicKey = "signpost";

export interface ServerReportingOptions {
  config: RuntimeConfig;
  basePath: string;
  tunnelPath: string;
  store: ReportStore;
}

/**
 * Starts the server's SDK. A function, because importing this file must do nothing: the webpack
 * build imports it by its name into every server bundle.
 */
export function start({ config, basePath, tunnelPath, store }: ServerReportingOptions): void {
  // The inbox asks for its data every other second: looking must not add to what is looked at.
  const build = config.production ? buildId() : "development";
  const inbox = locales.map((code) => `${basePath}/_next/data/${build}/${code}/reports`);
  const silent = [`${basePath}/api/health/`, tunnelPath, ...inbox];
  const full = config.serverTracing === "full";
  const reports = new WaitingReports(store);
  process.once("exit", () => reports.tellLost());
  const options: NodeOptions = {
    // Never the real one, which is put in on the way out: a trace handed to the browser names its
    // key. Without any, the SDK would do nothing.
    dsn: `http://${publicKey}@localhost/0`,
    release: config.release,
    environment: config.environment,
    tracesSampleRate: config.serverTracesSampleRate,
    // Older and other Sentry-compatible servers know transactions, but not streamed spans.
    traceLifecycle: "static",
    transport: outboxTransport(reports),
    transportOptions: { bufferSize: pendingLimit },
    // What is dropped on its way is counted by the outbox, or logged if that can never be told.
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
    beforeSend: scrubEvent,
    beforeSendTransaction: scrubEvent,
    beforeBreadcrumb: scrub,
    ...(full
      ? fullTracing(config.serverTracesSampleRate, silent, config.dsn?.envelopeUrl)
      : leanTracing()),
  };
  init(options);
  const traces = full
    ? undefined
    : new RequestTraces({
        tracesSampleRate: config.serverTracesSampleRate,
        known: {
          environment: config.environment,
          release: config.release,
          public_key: publicKey,
        },
        untraced: [`${basePath}/_next/static/`, `${basePath}/_next/image`, ...silent],
      });
  traces?.watch();
  shared().reporter = sdkReporter(traces);
}

/** Errors, and nothing that would cost a request anything; its spans come from `RequestTraces`. */
function leanTracing(): NodeOptions {
  return {
    enableOpenTelemetrySetup: false,
    enableRuntimeChannelInjection: false,
    defaultIntegrations: false,
    integrations: [linkedErrorsIntegration(), requestDataIntegration()],
  };
}
