import { Arrival, type LateIntegration } from "../first-load/sdk-link.ts";
import { integration, integrations, late } from "./late.ts";

/*
 * Sentry's integrations: until one is there, it has its name, and what is called on it waits. What a page's
 * configuration names is in all pages: so nothing else stands here.
 */

export const bfcacheMetricsIntegration = /* @__PURE__ */ integration("bfcacheMetrics");
export const breadcrumbsIntegration = /* @__PURE__ */ integration("breadcrumbs");
export const browserApiErrorsIntegration = /* @__PURE__ */ integration("browserApiErrors");
export const browserProfilingIntegration = /* @__PURE__ */ integration("browserProfiling");
export const browserSessionIntegration = /* @__PURE__ */ integration("browserSession");
export const captureConsoleIntegration = /* @__PURE__ */ integration("captureConsole");
export const consoleIntegration = /* @__PURE__ */ integration("console");
export const contextLinesIntegration = /* @__PURE__ */ integration("contextLines");
export const cultureContextIntegration = /* @__PURE__ */ integration("cultureContext");
export const dedupeIntegration = /* @__PURE__ */ integration("dedupe");
export const elementTimingIntegration = /* @__PURE__ */ integration("elementTiming");
export const eventFiltersIntegration = /* @__PURE__ */ integration("eventFilters");
export const extraErrorDataIntegration = /* @__PURE__ */ integration("extraErrorData");
export const feedbackIntegration = /* @__PURE__ */ integration("feedback");
export const feedbackAsyncIntegration = /* @__PURE__ */ integration("feedbackAsync", "Feedback");
export const feedbackSyncIntegration = /* @__PURE__ */ integration("feedbackSync", "Feedback");
export const fetchStreamPerformanceIntegration =
  /* @__PURE__ */ integration("fetchStreamPerformance");
export const functionToStringIntegration = /* @__PURE__ */ integration("functionToString");
export const globalHandlersIntegration = /* @__PURE__ */ integration("globalHandlers");
export const graphqlClientIntegration = /* @__PURE__ */ integration(
  "graphqlClient",
  "GraphQLClient",
);
export const growthbookIntegration = /* @__PURE__ */ integration("growthbook", "GrowthBook");
export const httpClientIntegration = /* @__PURE__ */ integration("httpClient");
export const httpContextIntegration = /* @__PURE__ */ integration("httpContext");
export const interactionsIntegration = /* @__PURE__ */ integration("interactions");
export const launchDarklyIntegration = /* @__PURE__ */ integration("launchDarkly");
export const linkedErrorsIntegration = /* @__PURE__ */ integration("linkedErrors");
export const moduleMetadataIntegration = /* @__PURE__ */ integration("moduleMetadata");
export const openFeatureIntegration = /* @__PURE__ */ integration("openFeature");
export const replayIntegration = /* @__PURE__ */ integration("replay");
export const replayCanvasIntegration = /* @__PURE__ */ integration("replayCanvas");
export const reportingObserverIntegration = /* @__PURE__ */ integration("reportingObserver");
export const rewriteFramesIntegration = /* @__PURE__ */ integration("rewriteFrames");
export const spanStreamingIntegration = /* @__PURE__ */ integration("spanStreaming");
export const spotlightBrowserIntegration = /* @__PURE__ */ integration("spotlightBrowser");
export const statsigIntegration = /* @__PURE__ */ integration("statsig");
export const supabaseIntegration = /* @__PURE__ */ integration("supabase");
export const thirdPartyErrorFilterIntegration = /* @__PURE__ */ integration(
  "thirdPartyErrorFilter",
  "ThirdPartyErrorsFilter",
);
export const unleashIntegration = /* @__PURE__ */ integration("unleash");
export const userTimingIntegration = /* @__PURE__ */ integration("userTiming");
export const viewHierarchyIntegration = /* @__PURE__ */ integration("viewHierarchy");
export const webVitalsIntegration = /* @__PURE__ */ integration("webVitals");
export const webWorkerIntegration = /* @__PURE__ */ integration("webWorker");
export const zodErrorsIntegration = /* @__PURE__ */ integration("zodErrors");
export const consoleLoggingIntegration = /* @__PURE__ */ integration(
  "consoleLogging",
  "ConsoleLogs",
);

/** Never comes: page loads and navigations are measured without it. */
export const browserTracingIntegration = (..._given: unknown[]): LateIntegration => ({
  name: "BrowserTracing",
  late: new Arrival(),
});

export const getDefaultIntegrations = /* @__PURE__ */ late(
  "getDefaultIntegrations",
  /* @__PURE__ */ integrations(
    ...["EventFilters", "FunctionToString", "ConversationId", "BrowserApiErrors", "Breadcrumbs"],
    ...["Console", "GlobalHandlers", "LinkedErrors", "Dedupe", "HttpContext", "CultureContext"],
    "BrowserSession",
  ),
);
