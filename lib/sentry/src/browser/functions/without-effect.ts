import type * as Sentry from "@sentry/nextjs";

type Sdk = typeof Sentry;

/**
 * Names of Sentry's that have no effect in the browser before the SDK is there, or at all. A call says so,
 * once, and runs a callback that it is given.
 */
function without<Name extends keyof Sdk>(name: Name): Sdk[Name] {
  let told = false;
  const standIn = (...args: unknown[]): unknown => {
    if (!told) {
      told = true;
      // biome-ignore lint/suspicious/noConsole: said to whoever writes the page
      console.warn(
        `Sentry.${name} has no effect in a browser: the SDK comes late. See the README of @signpost/sentry.`,
      );
    }
    const callback = args.at(-1);
    return typeof callback === "function" ? callback() : undefined;
  };
  return standIn as unknown as Sdk[Name];
}

export const bindScopeToEmitter: Sdk["bindScopeToEmitter"] =
  /* @__PURE__ */ without("bindScopeToEmitter");
export const captureSession: Sdk["captureSession"] = /* @__PURE__ */ without("captureSession");
export const continueTrace: Sdk["continueTrace"] = /* @__PURE__ */ without("continueTrace");
export const createConsolaReporter: Sdk["createConsolaReporter"] =
  /* @__PURE__ */ without("createConsolaReporter");
export const createTransport: Sdk["createTransport"] = /* @__PURE__ */ without("createTransport");
export const endSession: Sdk["endSession"] = /* @__PURE__ */ without("endSession");
export const getRootSpan: Sdk["getRootSpan"] = /* @__PURE__ */ without("getRootSpan");
export const getSpanDescendants: Sdk["getSpanDescendants"] =
  /* @__PURE__ */ without("getSpanDescendants");
export const getSpanStatusFromHttpCode: Sdk["getSpanStatusFromHttpCode"] = /* @__PURE__ */ without(
  "getSpanStatusFromHttpCode",
);
export const getTraceData: Sdk["getTraceData"] = /* @__PURE__ */ without("getTraceData");
export const instrumentSupabaseClient: Sdk["instrumentSupabaseClient"] = /* @__PURE__ */ without(
  "instrumentSupabaseClient",
);
export const makeMultiplexedTransport: Sdk["makeMultiplexedTransport"] = /* @__PURE__ */ without(
  "makeMultiplexedTransport",
);
export const registerSpanErrorInstrumentation: Sdk["registerSpanErrorInstrumentation"] =
  /* @__PURE__ */ without("registerSpanErrorInstrumentation");
export const setConversationId: Sdk["setConversationId"] =
  /* @__PURE__ */ without("setConversationId");
export const setCurrentClient: Sdk["setCurrentClient"] =
  /* @__PURE__ */ without("setCurrentClient");
export const setHttpStatus: Sdk["setHttpStatus"] = /* @__PURE__ */ without("setHttpStatus");
export const setMeasurement: Sdk["setMeasurement"] = /* @__PURE__ */ without("setMeasurement");
export const spanToBaggageHeader: Sdk["spanToBaggageHeader"] =
  /* @__PURE__ */ without("spanToBaggageHeader");
export const spanToJSON: Sdk["spanToJSON"] = /* @__PURE__ */ without("spanToJSON");
export const spanToStaticSpanJSON: Sdk["spanToStaticSpanJSON"] =
  /* @__PURE__ */ without("spanToStaticSpanJSON");
export const spanToTraceHeader: Sdk["spanToTraceHeader"] =
  /* @__PURE__ */ without("spanToTraceHeader");
export const startNewTrace: Sdk["startNewTrace"] = /* @__PURE__ */ without("startNewTrace");
export const startSession: Sdk["startSession"] = /* @__PURE__ */ without("startSession");
export const suppressTracing: Sdk["suppressTracing"] = /* @__PURE__ */ without("suppressTracing");
export const updateSpanName: Sdk["updateSpanName"] = /* @__PURE__ */ without("updateSpanName");
export const withActiveSpan: Sdk["withActiveSpan"] = /* @__PURE__ */ without("withActiveSpan");
export const withStaticSpan: Sdk["withStaticSpan"] = /* @__PURE__ */ without("withStaticSpan");
export const withStreamedSpan: Sdk["withStreamedSpan"] =
  /* @__PURE__ */ without("withStreamedSpan");
export const WINDOW = globalThis as unknown as Sdk["WINDOW"];
/** As the SDK has them. */
export const defaultRequestInstrumentationOptions: Sdk["defaultRequestInstrumentationOptions"] = {
  traceFetch: true,
  traceXHR: true,
  enableHTTPTimings: true,
};
export const BrowserClient: Sdk["BrowserClient"] = /* @__PURE__ */ without("BrowserClient");
export const makeFetchTransport: Sdk["makeFetchTransport"] =
  /* @__PURE__ */ without("makeFetchTransport");
export const eventFromException: Sdk["eventFromException"] =
  /* @__PURE__ */ without("eventFromException");
export const eventFromMessage: Sdk["eventFromMessage"] =
  /* @__PURE__ */ without("eventFromMessage");
export const exceptionFromError: Sdk["exceptionFromError"] =
  /* @__PURE__ */ without("exceptionFromError");
export const createUserFeedbackEnvelope: Sdk["createUserFeedbackEnvelope"] =
  /* @__PURE__ */ without("createUserFeedbackEnvelope");
export const forceLoad: Sdk["forceLoad"] = /* @__PURE__ */ without("forceLoad");
export const getDefaultIntegrations: Sdk["getDefaultIntegrations"] =
  /* @__PURE__ */ without("getDefaultIntegrations");
export const onLoad: Sdk["onLoad"] = /* @__PURE__ */ without("onLoad");
export const showReportDialog: Sdk["showReportDialog"] =
  /* @__PURE__ */ without("showReportDialog");
export const lazyLoadIntegration: Sdk["lazyLoadIntegration"] =
  /* @__PURE__ */ without("lazyLoadIntegration");
export const sendFeedback: Sdk["sendFeedback"] = /* @__PURE__ */ without("sendFeedback");
export const instrumentOutgoingRequests: Sdk["instrumentOutgoingRequests"] =
  /* @__PURE__ */ without("instrumentOutgoingRequests");
export const startBrowserTracingNavigationSpan: Sdk["startBrowserTracingNavigationSpan"] =
  /* @__PURE__ */ without("startBrowserTracingNavigationSpan");
export const startBrowserTracingPageLoadSpan: Sdk["startBrowserTracingPageLoadSpan"] =
  /* @__PURE__ */ without("startBrowserTracingPageLoadSpan");
export const createCachedRouteProvider: Sdk["createCachedRouteProvider"] = /* @__PURE__ */ without(
  "createCachedRouteProvider",
);
export const createUrlRouteProvider: Sdk["createUrlRouteProvider"] =
  /* @__PURE__ */ without("createUrlRouteProvider");
export const getAbsoluteUrl: Sdk["getAbsoluteUrl"] = /* @__PURE__ */ without("getAbsoluteUrl");
export const getRouteProvider: Sdk["getRouteProvider"] =
  /* @__PURE__ */ without("getRouteProvider");
export const isBotUserAgent: Sdk["isBotUserAgent"] = /* @__PURE__ */ without("isBotUserAgent");
export const resolveCurrentRoute: Sdk["resolveCurrentRoute"] =
  /* @__PURE__ */ without("resolveCurrentRoute");
export const resolveRoute: Sdk["resolveRoute"] = /* @__PURE__ */ without("resolveRoute");
export const setRouteProvider: Sdk["setRouteProvider"] =
  /* @__PURE__ */ without("setRouteProvider");
export const normalizeStringifyValue: Sdk["normalizeStringifyValue"] =
  /* @__PURE__ */ without("normalizeStringifyValue");
export const reportPageLoaded: Sdk["reportPageLoaded"] =
  /* @__PURE__ */ without("reportPageLoaded");
export const setActiveSpanInBrowser: Sdk["setActiveSpanInBrowser"] =
  /* @__PURE__ */ without("setActiveSpanInBrowser");
export const makeBrowserOfflineTransport: Sdk["makeBrowserOfflineTransport"] =
  /* @__PURE__ */ without("makeBrowserOfflineTransport");
export const buildLaunchDarklyFlagUsedHandler: Sdk["buildLaunchDarklyFlagUsedHandler"] =
  /* @__PURE__ */ without("buildLaunchDarklyFlagUsedHandler");
export const OpenFeatureIntegrationHook: Sdk["OpenFeatureIntegrationHook"] =
  /* @__PURE__ */ without("OpenFeatureIntegrationHook");
export const diagnoseSdkConnectivity: Sdk["diagnoseSdkConnectivity"] =
  /* @__PURE__ */ without("diagnoseSdkConnectivity");
export const registerWebWorker: Sdk["registerWebWorker"] =
  /* @__PURE__ */ without("registerWebWorker");
export const defaultStackParser: Sdk["defaultStackParser"] =
  /* @__PURE__ */ without("defaultStackParser");
export const captureRequestError: Sdk["captureRequestError"] =
  /* @__PURE__ */ without("captureRequestError");
export const withServerActionInstrumentation: Sdk["withServerActionInstrumentation"] =
  /* @__PURE__ */ without("withServerActionInstrumentation");

/** Each is its priority, and the parser. */
type LineParser = Sdk["chromeStackLineParser"];
const lineParser = (priority: number, name: keyof Sdk): LineParser =>
  [priority, without(name)] as unknown as LineParser;
export const chromeStackLineParser = /* @__PURE__ */ lineParser(30, "chromeStackLineParser");
export const geckoStackLineParser = /* @__PURE__ */ lineParser(50, "geckoStackLineParser");
export const opera10StackLineParser = /* @__PURE__ */ lineParser(10, "opera10StackLineParser");
export const opera11StackLineParser = /* @__PURE__ */ lineParser(20, "opera11StackLineParser");
export const winjsStackLineParser = /* @__PURE__ */ lineParser(40, "winjsStackLineParser");
export const defaultStackLineParsers = [chromeStackLineParser, geckoStackLineParser];
