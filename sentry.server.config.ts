import {
  getDefaultIntegrations,
  init,
  linkedErrorsIntegration,
  type NodeOptions,
  requestDataIntegration,
} from "@sentry/nextjs";
import type { RuntimeConfig } from "@/lib/config/runtime.js";
import { scrub, scrubEvent } from "@/lib/reporting/scrub";
import { sdkReporter } from "@/lib/reporting/server/reporter";
import { RequestTraces } from "@/lib/reporting/server/request-traces";
import { shared } from "@/lib/reporting/server/shared";
import { outboxTransport, pendingLimit } from "@/lib/reporting/server/transport";

export interface ServerReportingOptions {
  config: RuntimeConfig;
  basePath: string;
  tunnelPath: string;
  /** Stores one envelope, and settles once it is on disk. */
  append(envelope: Uint8Array): Promise<void>;
}

/** Default integrations that `full` does without: private data, or done better here. */
const unwanted = [
  "LocalVariables",
  "Modules",
  "OnUncaughtException",
  "OnUnhandledRejection",
  "ProcessSession",
];

/**
 * Starts the server's SDK. A function, because importing this file must do nothing: the webpack
 * build imports it by its name into every server bundle.
 */
export function start({ config, basePath, tunnelPath, append }: ServerReportingOptions): void {
  const full = config.serverTracing === "full";
  const options: NodeOptions = {
    // Never the real one, which is put in on the way out: a trace handed to the browser names its
    // key. Without any, the SDK would do nothing.
    dsn: "http://signpost@localhost/0",
    release: config.release,
    environment: config.environment,
    tracesSampleRate: config.serverTracesSampleRate,
    // Older and other Sentry-compatible servers know transactions, but not streamed spans.
    traceLifecycle: "static",
    transport: outboxTransport(append),
    transportOptions: { bufferSize: pendingLimit },
    // What is dropped is counted by the outbox.
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
    enableOpenTelemetrySetup: full,
    enableRuntimeChannelInjection: full,
    ...(full
      ? {
          defaultIntegrations: getDefaultIntegrations({
            tracesSampleRate: config.serverTracesSampleRate,
          }).filter(({ name }) => !unwanted.includes(name)),
          ignoreSpans: ignoredSpans(tunnelPath, config.dsn?.envelopeUrl),
        }
      : {
          defaultIntegrations: false,
          integrations: [linkedErrorsIntegration(), requestDataIntegration()],
        }),
  };
  init(options);
  const traces = full
    ? undefined
    : new RequestTraces({
        tracesSampleRate: config.serverTracesSampleRate,
        basePath,
        tunnelPath,
      });
  traces?.watch();
  shared().reporter = sdkReporter(traces);
}

/** The tunnel's own requests, as they come in and as the courier sends them on. */
function ignoredSpans(tunnelPath: string, serviceUrl: string | undefined) {
  const tunnel = {
    attributes: { "http.target": new RegExp(`^${tunnelPath.replace(/[.~]/g, "\\$&")}(\\?|$)`) },
  };
  return serviceUrl ? [tunnel, { attributes: { "url.full": serviceUrl } }] : [tunnel];
}
