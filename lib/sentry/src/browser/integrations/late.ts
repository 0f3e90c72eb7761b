import type * as Sentry from "@sentry/browser";
import type { Integration } from "@sentry/core";

type Sdk = typeof Sentry;

/** Stands for an integration whose code comes with the SDK, in a chunk of its own. */
export interface LateIntegration extends Integration {
  /** Nothing where it is not wanted. */
  load(): Promise<Integration | undefined>;
}

function late<Make extends (...args: never[]) => Integration>(
  name: string,
  load: () => Promise<{ integration: Make }>,
): Make {
  const standIn = (...args: Parameters<Make>): LateIntegration => ({
    name,
    load: async () => (await load()).integration(...args),
  });
  return standIn as unknown as Make;
}

export const replayIntegration: Sdk["replayIntegration"] = /* @__PURE__ */ late(
  "Replay",
  () => import("./replay.ts"),
);
export const replayCanvasIntegration: Sdk["replayCanvasIntegration"] = /* @__PURE__ */ late(
  "ReplayCanvas",
  () => import("./replay-canvas.ts"),
);
export const feedbackIntegration: Sdk["feedbackIntegration"] = /* @__PURE__ */ late(
  "Feedback",
  () => import("./feedback.ts"),
);
export const feedbackAsyncIntegration: Sdk["feedbackAsyncIntegration"] = /* @__PURE__ */ late(
  "Feedback",
  () => import("./feedback.ts"),
);
export const feedbackSyncIntegration: Sdk["feedbackSyncIntegration"] = /* @__PURE__ */ late(
  "Feedback",
  () => import("./feedback.ts"),
);
export const browserProfilingIntegration: Sdk["browserProfilingIntegration"] = /* @__PURE__ */ late(
  "BrowserProfiling",
  () => import("./browser-profiling.ts"),
);

/** Page loads and navigations are measured without it. */
export const browserTracingIntegration: Sdk["browserTracingIntegration"] = (() => ({
  name: "BrowserTracing",
  load: async () => undefined,
})) as never;

type Others = typeof import("./others.ts");

const another =
  <Name extends keyof Others>(name: Name) =>
  async () => ({ integration: (await import("./others.ts"))[name] as never });

export const captureConsoleIntegration: Sdk["captureConsoleIntegration"] = /* @__PURE__ */ late(
  "CaptureConsole",
  /* @__PURE__ */ another("captureConsoleIntegration"),
);
export const consoleIntegration: Sdk["consoleIntegration"] = /* @__PURE__ */ late(
  "Console",
  /* @__PURE__ */ another("consoleIntegration"),
);
export const consoleLoggingIntegration: Sdk["consoleLoggingIntegration"] = /* @__PURE__ */ late(
  "ConsoleLogging",
  /* @__PURE__ */ another("consoleLoggingIntegration"),
);
export const dedupeIntegration: Sdk["dedupeIntegration"] = /* @__PURE__ */ late(
  "Dedupe",
  /* @__PURE__ */ another("dedupeIntegration"),
);
export const eventFiltersIntegration: Sdk["eventFiltersIntegration"] = /* @__PURE__ */ late(
  "EventFilters",
  /* @__PURE__ */ another("eventFiltersIntegration"),
);
export const extraErrorDataIntegration: Sdk["extraErrorDataIntegration"] = /* @__PURE__ */ late(
  "ExtraErrorData",
  /* @__PURE__ */ another("extraErrorDataIntegration"),
);
export const featureFlagsIntegration: Sdk["featureFlagsIntegration"] = /* @__PURE__ */ late(
  "FeatureFlags",
  /* @__PURE__ */ another("featureFlagsIntegration"),
);
export const functionToStringIntegration: Sdk["functionToStringIntegration"] = /* @__PURE__ */ late(
  "FunctionToString",
  /* @__PURE__ */ another("functionToStringIntegration"),
);
export const moduleMetadataIntegration: Sdk["moduleMetadataIntegration"] = /* @__PURE__ */ late(
  "ModuleMetadata",
  /* @__PURE__ */ another("moduleMetadataIntegration"),
);
export const rewriteFramesIntegration: Sdk["rewriteFramesIntegration"] = /* @__PURE__ */ late(
  "RewriteFrames",
  /* @__PURE__ */ another("rewriteFramesIntegration"),
);
export const spanStreamingIntegration: Sdk["spanStreamingIntegration"] = /* @__PURE__ */ late(
  "SpanStreaming",
  /* @__PURE__ */ another("spanStreamingIntegration"),
);
export const supabaseIntegration: Sdk["supabaseIntegration"] = /* @__PURE__ */ late(
  "Supabase",
  /* @__PURE__ */ another("supabaseIntegration"),
);
export const thirdPartyErrorFilterIntegration: Sdk["thirdPartyErrorFilterIntegration"] =
  /* @__PURE__ */ late(
    "ThirdPartyErrorFilter",
    /* @__PURE__ */ another("thirdPartyErrorFilterIntegration"),
  );
export const zodErrorsIntegration: Sdk["zodErrorsIntegration"] = /* @__PURE__ */ late(
  "ZodErrors",
  /* @__PURE__ */ another("zodErrorsIntegration"),
);
export const breadcrumbsIntegration: Sdk["breadcrumbsIntegration"] = /* @__PURE__ */ late(
  "Breadcrumbs",
  /* @__PURE__ */ another("breadcrumbsIntegration"),
);
export const globalHandlersIntegration: Sdk["globalHandlersIntegration"] = /* @__PURE__ */ late(
  "GlobalHandlers",
  /* @__PURE__ */ another("globalHandlersIntegration"),
);
export const httpContextIntegration: Sdk["httpContextIntegration"] = /* @__PURE__ */ late(
  "HttpContext",
  /* @__PURE__ */ another("httpContextIntegration"),
);
export const linkedErrorsIntegration: Sdk["linkedErrorsIntegration"] = /* @__PURE__ */ late(
  "LinkedErrors",
  /* @__PURE__ */ another("linkedErrorsIntegration"),
);
export const browserApiErrorsIntegration: Sdk["browserApiErrorsIntegration"] = /* @__PURE__ */ late(
  "BrowserApiErrors",
  /* @__PURE__ */ another("browserApiErrorsIntegration"),
);
export const browserSessionIntegration: Sdk["browserSessionIntegration"] = /* @__PURE__ */ late(
  "BrowserSession",
  /* @__PURE__ */ another("browserSessionIntegration"),
);
export const reportingObserverIntegration: Sdk["reportingObserverIntegration"] =
  /* @__PURE__ */ late(
    "ReportingObserver",
    /* @__PURE__ */ another("reportingObserverIntegration"),
  );
export const httpClientIntegration: Sdk["httpClientIntegration"] = /* @__PURE__ */ late(
  "HttpClient",
  /* @__PURE__ */ another("httpClientIntegration"),
);
export const contextLinesIntegration: Sdk["contextLinesIntegration"] = /* @__PURE__ */ late(
  "ContextLines",
  /* @__PURE__ */ another("contextLinesIntegration"),
);
export const graphqlClientIntegration: Sdk["graphqlClientIntegration"] = /* @__PURE__ */ late(
  "GraphqlClient",
  /* @__PURE__ */ another("graphqlClientIntegration"),
);
export const viewHierarchyIntegration: Sdk["viewHierarchyIntegration"] = /* @__PURE__ */ late(
  "ViewHierarchy",
  /* @__PURE__ */ another("viewHierarchyIntegration"),
);
export const elementTimingIntegration: Sdk["elementTimingIntegration"] = /* @__PURE__ */ late(
  "ElementTiming",
  /* @__PURE__ */ another("elementTimingIntegration"),
);
export const interactionsIntegration: Sdk["interactionsIntegration"] = /* @__PURE__ */ late(
  "Interactions",
  /* @__PURE__ */ another("interactionsIntegration"),
);
export const userTimingIntegration: Sdk["userTimingIntegration"] = /* @__PURE__ */ late(
  "UserTiming",
  /* @__PURE__ */ another("userTimingIntegration"),
);
export const fetchStreamPerformanceIntegration: Sdk["fetchStreamPerformanceIntegration"] =
  /* @__PURE__ */ late(
    "FetchStreamPerformance",
    /* @__PURE__ */ another("fetchStreamPerformanceIntegration"),
  );
export const webVitalsIntegration: Sdk["webVitalsIntegration"] = /* @__PURE__ */ late(
  "WebVitals",
  /* @__PURE__ */ another("webVitalsIntegration"),
);
export const bfcacheMetricsIntegration: Sdk["bfcacheMetricsIntegration"] = /* @__PURE__ */ late(
  "BfcacheMetrics",
  /* @__PURE__ */ another("bfcacheMetricsIntegration"),
);
export const spotlightBrowserIntegration: Sdk["spotlightBrowserIntegration"] = /* @__PURE__ */ late(
  "SpotlightBrowser",
  /* @__PURE__ */ another("spotlightBrowserIntegration"),
);
export const cultureContextIntegration: Sdk["cultureContextIntegration"] = /* @__PURE__ */ late(
  "CultureContext",
  /* @__PURE__ */ another("cultureContextIntegration"),
);
export const launchDarklyIntegration: Sdk["launchDarklyIntegration"] = /* @__PURE__ */ late(
  "LaunchDarkly",
  /* @__PURE__ */ another("launchDarklyIntegration"),
);
export const openFeatureIntegration: Sdk["openFeatureIntegration"] = /* @__PURE__ */ late(
  "OpenFeature",
  /* @__PURE__ */ another("openFeatureIntegration"),
);
export const unleashIntegration: Sdk["unleashIntegration"] = /* @__PURE__ */ late(
  "Unleash",
  /* @__PURE__ */ another("unleashIntegration"),
);
export const growthbookIntegration: Sdk["growthbookIntegration"] = /* @__PURE__ */ late(
  "Growthbook",
  /* @__PURE__ */ another("growthbookIntegration"),
);
export const statsigIntegration: Sdk["statsigIntegration"] = /* @__PURE__ */ late(
  "Statsig",
  /* @__PURE__ */ another("statsigIntegration"),
);
export const webWorkerIntegration: Sdk["webWorkerIntegration"] = /* @__PURE__ */ late(
  "WebWorker",
  /* @__PURE__ */ another("webWorkerIntegration"),
);
