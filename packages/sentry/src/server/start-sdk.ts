import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { sep } from "node:path";
import {
  consoleIntegration,
  type Event,
  eventFiltersIntegration,
  getCurrentScope,
  init,
  linkedErrorsIntegration,
  type NodeOptions,
  requestDataIntegration,
  rewriteFramesIntegration,
} from "@sentry/nextjs";
import type { Category } from "@signpost/relay/categories";
import type { RuntimeConfig } from "../shared/environment/runtime.ts";
import { servedApp } from "../shared/environment/served-app.ts";
import { log } from "../shared/log.ts";
import { onOtherClient, otherClient } from "../shared/other-client.ts";
import { privateNames } from "../shared/privacy/private-names.ts";
import { scrubbing } from "../shared/privacy/scrub-envelope.ts";
import { type App, dataUrlOf } from "../shared/routes/location.ts";
import { unusedOptions } from "../shared/unused-options.ts";
import { framesPath } from "./development-frames.ts";
import { giveServerIds } from "./event-ids.ts";
import { fullTracing, namedByRoute } from "./full-tracing.ts";
import { describeMachine } from "./machine.ts";
import { inTurn, type ServerOptions, withIntegrations } from "./options.ts";
import { limitOthers } from "./report-limit.ts";
import { limitEvents, sdkReporter } from "./reporter.ts";
import { shared } from "./reporting-state.ts";
import { RequestScopes } from "./request-scopes.ts";
import { RequestTraces } from "./request-traces.ts";
import { outboxTransport } from "./transport.ts";
import { type ReportStore, WaitingReports } from "./waiting-reports.ts";

/** In place of the project's key. */
const publicKey = "signpost";

interface ServerReportingOptions {
  config: RuntimeConfig;
  basePath: string;
  tunnelPath: string;
  /** Next's folder of the build: absolute. */
  distDir?: string;
  /** Of Next's `i18n`, the default one first. */
  locales?: readonly string[];
  store: ReportStore;
  /** Whether measuring is worth its cost now. */
  takesMeasurements?: () => boolean;
  /** Those of sentry.server.config.ts. */
  options: ServerOptions;
}

/**
 * Starts Sentry's SDK in the server.
 *
 * @returns what makes each request a request of its own, for the server to run requests in
 */
export function startReporting({
  config,
  basePath,
  tunnelPath,
  distDir = servedApp().distDir,
  locales = [],
  store,
  takesMeasurements = () => true,
  options: given,
}: ServerReportingOptions): RequestScopes {
  const {
    allowedNames,
    privateNames: added,
    excludeFromTracing = [],
    destination: _,
    ...own
  } = given;
  const { tracesSampler } = given;
  if (tracesSampler) own.tracesSampler = (span) => (takesMeasurements() ? tracesSampler(span) : 0);
  const excludedPaths = [
    // And the settings of browsers below it.
    tunnelPath,
    `${basePath}/_next/static`,
    `${basePath}/_next/image`,
    framesPath,
    ...excludeFromTracing.flatMap((route) =>
      addressesOf(route, { basePath, locales }, config.build),
    ),
  ];
  const isExcluded = (url: string) => {
    // Next's `trailingSlash` adds one.
    const path = (url.split("?", 1)[0] as string).replace(/(\/|\.json)$/, "");
    return excludedPaths.some(
      (one) => path === one || path.startsWith(one.endsWith("/") ? one : `${one}/`),
    );
  };
  const full = config.serverTracing === "full";
  const reports = new WaitingReports(store);
  process.once("exit", () => reports.logLost());
  const countTooMany = (category: Category) =>
    reports.countDropped({ reason: "backpressure", category, quantity: 1 });
  const limit = limitEvents(() => countTooMany("error"));
  const options: NodeOptions = {
    // With a stack, services title a message by the function that has sent it.
    attachStacktrace: false,
    // The outbox counts what is dropped, and logs what it can't count.
    sendClientReports: false,
    ...own,
    // Not the real one, because pages pass its key to the browser with the trace. Delivery puts the
    // real one in. Without any, the SDK would do nothing.
    dsn: `http://${publicKey}@localhost/0`,
    release: config.release,
    environment: config.environment,
    tracesSampleRate: config.serverTracesSampleRate,
    // Older and other Sentry-compatible services know transactions, but not streamed spans.
    traceLifecycle: "static",
    transport: scrubbing(outboxTransport(reports), privateNames(allowedNames, added)),
    // The SDK would drop reports without counting them. The outbox bounds what it has not yet written,
    // and `WaitingReports` what waits for it.
    transportOptions: { bufferSize: Number.POSITIVE_INFINITY },
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
          isExcluded,
          serviceUrl: config.dsn?.envelopeUrl,
          own,
        })
      : leanTracing(own)),
    // The limit comes after the team's own, so that what that drops counts for nothing.
    beforeSend: inTurn(own.beforeSend, limit),
    beforeSendTransaction: inTurn(namedByRoute, own.beforeSendTransaction),
    beforeSendLog: limitOthers("log_item", countTooMany, own.beforeSendLog),
    beforeSendMetric: limitOthers("metric", countTooMany, own.beforeSendMetric),
  };
  const scope = getCurrentScope();
  const tellOther = () => log("warn", "another Sentry SDK", { advice: otherClient });
  if (scope.getClient()) {
    tellOther();
    // With a client, `init` does nothing.
    scope.setClient(undefined);
  }
  for (const advice of unusedOptions(given, ["transport", "sendDefaultPii", "dataCollection"])) {
    log("warn", "option without effect", { advice });
  }
  const client = init(options);
  client?.addIntegration(namesOfBuiltFiles(distDir));
  giveServerIds();
  onOtherClient(scope, tellOther);
  const traces = full
    ? undefined
    : new RequestTraces({
        tracesSampleRate: config.serverTracesSampleRate,
        takesMeasurements,
        hasSampler: own.tracesSampler !== undefined,
        isExcluded,
      });
  const scopes = new RequestScopes(traces, config.trustedProxies);
  if (full) {
    // No request step: the SDK wraps the server's `emit` here too, around that of the steps, and reads the headers
    // before them. Of HTTP/2 nothing is told here: see `RequestScopes.serve`.
    subscribe("http.server.request.start", (message) =>
      scopes.limitTrace((message as { request: IncomingMessage }).request),
    );
  }
  const limitFeedback = limitOthers<Event>("feedback", countTooMany);
  client?.addEventProcessor((event) => {
    const described = scopes.describe(describeMachine(event));
    return described.type === "feedback" ? limitFeedback(described) : described;
  });
  shared().reporter = sdkReporter(traces);
  return scopes;
}

/**
 * Names the files of the build as Sentry's own set-up does, by one name for Next's folder, so that their
 * source is found whatever `distDir` is.
 */
function namesOfBuiltFiles(distDir: string) {
  const rewriting = rewriteFramesIntegration({
    iteratee(frame) {
      const { filename } = frame;
      if (!filename?.startsWith(distDir + sep)) return frame;
      return { ...frame, filename: `app:///_next${filename.slice(distDir.length)}` };
    },
  });
  // A team's own goes by the name that this one has of the SDK, and would take its place.
  return { ...rewriting, name: "DistDirRewriteFrames" };
}

/**
 * Where a route is asked for: an API route itself, a page's data.
 *
 * @param route a pattern. What comes before its first parameter counts
 * @returns without `.json`; with a slash at the end where only what is below it is meant
 */
function addressesOf(route: string, app: Omit<App, "patterns">, build: string): string[] {
  const [fixed = ""] = route.split("[", 1);
  if (/^\/api(\/|$)/.test(route)) return [app.basePath + fixed];
  const { locales } = app;
  return (locales.length > 0 ? locales : [""]).map((locale) => {
    if (fixed === route)
      return dataUrlOf(app, build, { path: route, locale }).slice(0, -".json".length);
    return dataUrlOf(app, build, { path: `${fixed}x`, locale }).slice(0, -"x.json".length);
  });
}

/** No OpenTelemetry, which costs each request half as much again. `RequestTraces` makes its span. */
function leanTracing({ integrations }: ServerOptions): NodeOptions {
  return {
    enableOpenTelemetrySetup: false,
    enableRuntimeChannelInjection: false,
    defaultIntegrations: false,
    integrations: withIntegrations(
      () => [
        consoleIntegration(),
        eventFiltersIntegration(),
        linkedErrorsIntegration(),
        requestDataIntegration(),
      ],
      integrations,
    ),
  };
}
