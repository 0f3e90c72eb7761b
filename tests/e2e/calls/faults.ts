import { browser, type Differs, type Place } from "./app/snippets/snippet.ts";

type Where = "browser" | "before" | "after";

/**
 * What is wrong in the browser and not yet mended: for each fault the snippets that show it, and the facts that
 * differ, as `Differs` has them. Where one no longer differs, the suite fails: its row is to be taken out.
 */
const rows: Record<string, Record<string, Partial<Record<Where, string[]>>>> = {
  "The event of the first capture has what the boundary adds to the error.": {
    "ErrorBoundary of an error that was captured before": {
      before: ["error Captured before the boundary*"],
    },
  },
  "A text is shown, which Sentry does not show.": {
    "ErrorBoundary with a text as fallback": { browser: ["gives*"] },
  },
  "An integration does nothing until its code has come, and has no methods of its own.": {
    OpenFeatureIntegrationHook: { browser: ["error With open flags", "gives*", "throws"] },
    "addIntegration of captureConsoleIntegration, then console.error": {
      before: ["message To the console"],
    },
    "addIntegration of consoleLoggingIntegration, then console.warn": {
      before: ["log To the log, %s times 3"],
    },
    "addIntegration of extraErrorDataIntegration": { browser: ["error With extra data*"] },
    "addIntegration of featureFlagsIntegration, then a flag": {
      browser: ["error With flags", "gives*", "throws"],
    },
    "addIntegration of null": { browser: ["throws"] },
    "addIntegration of zodErrorsIntegration": {
      browser: ["error Failed to validate keys: email", "error Of zod"],
    },
    buildLaunchDarklyFlagUsedHandler: { browser: ["error With dark flags", "gives*", "throws"] },
  },
  "A span from before the SDK is a measure: it has no operation, parent or status.": {
    "Profiler, through an update and its end": { before: ["span <Cart>*"] },
    "a capture in a span": { before: ["span around a capture*"] },
    "an attribute of the active span": { before: ["span has an attribute*"] },
    "getActiveSpan after a span": { before: ["span active before*"] },
    "getActiveSpan in a span": { before: ["span active*"] },
    "logger.info in a span": { before: ["span around a log*"] },
    "metrics of a user, in a span": { before: ["span around a metric*"] },
    startInactiveSpan: { before: ["span inactive*"] },
    "startInactiveSpan that ends twice": { before: ["span ends twice*"] },
    "startInactiveSpan with an end of its own": { before: ["span ends then*"] },
    startSpan: { before: ["span prices*"] },
    "startSpan in a loop": { before: ["span turn*"] },
    "startSpan inside of startSpan": { before: ["span inner*", "span innermost*", "span outer*"] },
    "startSpan of a callback that rejects": { before: ["span rejecting*"] },
    "startSpan of a callback that throws": { before: ["span throwing*"] },
    "startSpan of an async callback": { before: ["span async prices*"] },
    "startSpan that forces a transaction": {
      before: ["span around a transaction*", "span forced*"],
    },
    "startSpan with a parent that is given": { before: ["span child*", "span parent*"] },
    "startSpan with a start of its own": { before: ["span with a start*"] },
    "startSpan with a status": { before: ["span with a status*"] },
    "startSpan with an ok status": { before: ["span with an ok status*"] },
    "startSpan with an origin and an op as attributes": { before: ["span with an origin*"] },
    "startSpan with attributes": { before: ["span with attributes*"] },
    "startSpan with events, an exception and links": { before: ["span with links*"] },
    "startSpan without a callback": { before: ["span without a callback*"] },
    "startSpan without a name": { before: ["span undefined*"] },
    "startSpan, never awaited": { before: ["span never awaited*"] },
    startSpanManual: { before: ["span manual*"] },
    "startSpanManual that ends by its second argument, later": { before: ["span manual, later*"] },
    "startSpanManual that never ends": { before: ["span without an end"] },
    "tags that are set in a span": { before: ["span around a tag*"] },
    useProfiler: { before: ["span <Hooked>*"] },
  },
  "It has no effect in the browser.": {
    "a BrowserClient of one's own, with its own scope": { browser: ["gives*", "throws"] },
    bindScopeToEmitter: { browser: ["gives*"] },
    chromeStackLineParser: { browser: ["gives*"] },
    continueTrace: {
      browser: ["gives*"],
      before: ["span continued", "transaction continued"],
      after: ["transaction continued*"],
    },
    "continueTrace and a capture": {
      browser: ["gives*", "message In a continued trace*", "throws"],
    },
    "continueTrace of nothing": {
      before: ["span continues nothing", "transaction continues nothing"],
      after: ["transaction continues nothing*"],
    },
    "continueTrace of what is no trace": {
      before: ["span continues oddly", "transaction continues oddly"],
      after: ["transaction continues oddly*"],
    },
    createConsolaReporter: { browser: ["gives*", "log By consola", "throws"] },
    createTransport: { browser: ["gives*", "throws"] },
    createUserFeedbackEnvelope: { browser: ["gives*", "throws"] },
    defaultStackParser: { browser: ["gives*", "throws"] },
    diagnoseSdkConnectivity: { browser: ["gives*", "throws"] },
    eventFromException: { browser: ["gives*", "throws"] },
    eventFromMessage: { browser: ["gives*", "throws"] },
    exceptionFromError: { browser: ["gives*", "throws"] },
    getRootSpan: {
      browser: ["gives*"],
      before: ["span leaf*", "span root", "transaction root"],
      after: ["transaction root*"],
    },
    getSpanDescendants: {
      browser: ["gives*", "throws"],
      before: ["span ancestor*", "span descendant*"],
      after: ["transaction ancestor*"],
    },
    getSpanStatusFromHttpCode: { browser: ["gives*"] },
    getTraceData: { browser: ["gives*", "throws"] },
    "getTraceData in a span": {
      browser: ["gives*", "throws"],
      before: ["span for trace data*"],
      after: ["transaction for trace data*"],
    },
    "getTraceData with traceparent": { browser: ["gives*", "throws"] },
    instrumentSupabaseClient: { browser: ["gives*", "throws"] },
    "isBotUserAgent and getAbsoluteUrl": { browser: ["gives*", "throws"] },
    "lazyLoadIntegration of a name that is none": { browser: ["gives*", "throws"] },
    "lazyLoadIntegration, without a network": { browser: ["gives*", "throws"] },
    makeBrowserOfflineTransport: { browser: ["gives*", "throws"] },
    makeFetchTransport: { browser: ["gives*", "throws"] },
    makeMultiplexedTransport: { browser: ["gives*", "throws"] },
    "route providers": { browser: ["gives*"] },
    sendFeedback: { browser: ["feedback Sent as feedback", "gives*"] },
    "sendFeedback of nothing": { browser: ["gives*", "throws"] },
    setActiveSpanInBrowser: {
      browser: ["gives*"],
      before: ["span active in the browser*", "span below the active one*"],
      after: [
        "span below the active one",
        "transaction active in the browser*",
        "transaction below the active one",
      ],
    },
    setConversationId: { after: ["message In a conversation*"] },
    "setCurrentClient of the client that is there": { after: ["message With the same client*"] },
    setHttpStatus: {
      before: ["span with a status of HTTP*"],
      after: ["transaction with a status of HTTP*"],
    },
    setMeasurement: {
      before: ["span measured", "transaction measured"],
      after: ["transaction measured*"],
    },
    "setMeasurement of a span that is given": {
      before: ["span measured itself*"],
      after: ["transaction measured itself*"],
    },
    showReportDialog: { browser: ["gives*"] },
    spanToBaggageHeader: {
      browser: ["gives*"],
      before: ["span for baggage", "transaction for baggage"],
      after: ["transaction for baggage*"],
    },
    spanToJSON: {
      browser: ["gives*", "throws"],
      before: ["span as JSON*"],
      after: ["transaction as JSON*"],
    },
    "spanToJSON of null": { browser: ["gives*", "throws"] },
    spanToStaticSpanJSON: {
      browser: ["gives*", "throws"],
      before: ["span as static JSON*"],
      after: ["transaction as static JSON*"],
    },
    spanToTraceHeader: {
      browser: ["gives*"],
      before: ["span for a header*"],
      after: ["transaction for a header*"],
    },
    startBrowserTracingNavigationSpan: { browser: ["gives*", "transaction /by/hand"] },
    startBrowserTracingPageLoadSpan: { browser: ["gives*"] },
    startNewTrace: { browser: ["gives*", "throws", "transaction in a new trace"] },
    "startNewTrace and a capture": { browser: ["message In a new trace*"] },
    "startSession, captureSession and endSession": { browser: ["gives*"] },
    "startSpan of null": { before: ["throws"] },
    "startSpan that only has a parent": { before: ["gives*", "span without a parent"] },
    suppressTracing: {
      browser: ["gives*"],
      before: ["span suppressed"],
      after: ["transaction suppressed"],
    },
    updateSpanName: {
      before: ["span before its new name", "span with its new name"],
      after: ["transaction before its new name", "transaction with its new name"],
    },
    "updateSpanName of null": { browser: ["gives*", "throws"] },
    "what a span gives of itself": { before: ["gives*", "span renamed*"] },
    withActiveSpan: {
      browser: ["gives*", "span below it", "throws"],
      before: ["span made active"],
      after: ["transaction made active"],
    },
    "withActiveSpan of null": {
      browser: ["gives*", "throws"],
      before: ["span below nothing"],
      after: ["transaction below nothing"],
    },
    "withActiveSpan without a callback": { browser: ["gives*", "throws"] },
    withServerActionInstrumentation: { after: ["transaction serverAction/action"] },
    "withStaticSpan and withStreamedSpan": { browser: ["gives*"] },
  },
  "The moment of a capture lacks its breadcrumbs and the global scope.": {
    "a tag of each of the three scopes": { before: ["message With three tags*"] },
    addBreadcrumb: { before: ["message After a breadcrumb*"] },
    "addBreadcrumb in a loop, more often than is kept": {
      before: ["message After many breadcrumbs*"],
    },
    createReduxEnhancer: { before: ["attachment redux_state.json*", "error With a store*"] },
    "createReduxEnhancer that attaches no state": {
      before: ["message With a store that is not attached*"],
    },
    "createReduxEnhancer without options": { before: ["message With a store without options*"] },
  },
  "The component stack, the hint and the mechanism are dropped.": {
    "captureReactException with a component stack": { browser: ["error Of a component*"] },
    "captureReactException with a hint": { browser: ["error Of a component, with a hint*"] },
    "reactErrorHandler as React's own callbacks": { browser: ["error Uncaught by React*"] },
    "reactErrorHandler that is called by hand": { browser: ["error By hand*"] },
    "reactErrorHandler without a callback": { browser: ["error Uncaught, without a callback*"] },
  },
  "The mechanism and the words are not Sentry's.": {
    "captureUnderscoreErrorException of an error": { browser: ["error Of the page*"] },
    "captureUnderscoreErrorException of nothing": {
      browser: ["error _error.js called with falsy error (null)", "gives*"],
    },
  },
  "The placeholder has another name than the integration.": {
    "consoleLoggingIntegration().name": { browser: ["gives*"] },
    "graphqlClientIntegration().name": { browser: ["gives*"] },
    "growthbookIntegration().name": { browser: ["gives*"] },
    "thirdPartyErrorFilterIntegration().name": { browser: ["gives*"] },
  },
  "There is no client before the SDK, and init gives none.": {
    getClient: { before: ["gives*"] },
    "getClient's DSN": { before: ["gives*"] },
    "getClient's capture methods": {
      before: [
        "error By the client",
        "gives*",
        "message By the client",
        "message By the client, an event",
      ],
    },
    "getClient's event processor": { before: ["message For the client's*"] },
    "getClient's hooks": { before: ["gives*"] },
    "getClient's integration, by name": { before: ["gives*"] },
    "getClient's metadata": { before: ["gives*"] },
    "getClient's options": { before: ["gives*"] },
    getDefaultIntegrations: { browser: ["gives*", "throws"] },
    "init a second time": { browser: ["gives*"] },
  },
  "A scope that is given has the trace of the visit.": {
    "logger.info with a scope": { browser: ["log In a scope*"] },
    "metrics with a scope": { browser: ["metric scoped*"] },
    "startSpan with a scope": { before: ["message In its scope*", "span in a scope*"] },
  },
  "null as options throws.": {
    "metrics.count with null as options": { browser: ["gives*", "metric null options", "throws"] },
  },
  "The name that the app gives to a transaction is not that of its events.": {
    "setLevel, setFingerprint and setTransactionName of the current scope": {
      browser: ["error With a level and a name*"],
    },
  },
  "Names and statics of the wrapped component are not kept.": {
    "withErrorBoundary keeps what a class inherits": { browser: ["gives*"] },
    "withErrorBoundary of a component without a name": { browser: ["gives*"] },
    withProfiler: { browser: ["gives*"], before: ["span <App>*"] },
    "withProfiler keeps statics": { browser: ["gives*"] },
    "withProfiler of a component without a name": {
      browser: ["gives*"],
      before: ["span <>", "span <unknown>"],
    },
    "withProfiler with a name, without updates": { before: ["span <Named>*"] },
  },
};

const placesOf: Record<Where, readonly Place[]> = {
  browser,
  before: ["before"],
  after: ["after"],
};

/** Those of a snippet, by its name. */
export function faultsOf(name: string): Differs[] {
  return Object.entries(rows).flatMap(([fault, snippets]) =>
    Object.entries(snippets[name] ?? {}).flatMap(([where, facts]) =>
      facts.map((what) => ({ in: placesOf[where as Where], what, fault })),
    ),
  );
}
