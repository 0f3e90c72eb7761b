import { browser, type Differs, type Place } from "./app/snippets/snippet.ts";

type Where = "browser" | "before" | "after";

/**
 * What is wrong in the browser and not yet mended: for each fault the snippets that show it, and the facts that
 * differ, as `Differs` has them. Where one no longer differs, the suite fails: its row is to be taken out.
 */
const rows: Record<string, Record<string, Partial<Record<Where, string[]>>>> = {
  "What takes the SDK's code gives what can be used until that has come, and not what the SDK would give.":
    {
      OpenFeatureIntegrationHook: {
        before: ["gives*"],
      },
      "a BrowserClient of one's own, with its own scope": {
        before: ["gives*"],
      },
      "addIntegration of null": {
        before: ["gives*", "throws"],
      },
      "addIntegration of one's own": {
        before: ["gives*"],
      },
      bindScopeToEmitter: {
        before: ["gives*"],
      },
      chromeStackLineParser: {
        before: ["gives*"],
      },
      createConsolaReporter: {
        before: ["gives*", "log By consola"],
      },
      createTransport: {
        before: ["gives*"],
      },
      createUserFeedbackEnvelope: {
        before: ["gives*"],
      },
      defaultStackParser: {
        before: ["gives*"],
      },
      eventFromException: {
        before: ["gives*"],
      },
      eventFromMessage: {
        before: ["gives*"],
      },
      "getClient's DSN": {
        before: ["gives*"],
      },
      "getClient's integration, by name": {
        before: ["gives*"],
      },
      "getClient's metadata": {
        before: ["gives*"],
      },
      getSpanDescendants: {
        before: ["gives*"],
      },
      getTraceData: {
        before: ["gives*"],
      },
      "getTraceData in a span": {
        before: ["gives*"],
      },
      "getTraceData with traceparent": {
        before: ["gives*"],
      },
      instrumentSupabaseClient: {
        before: ["gives*", "throws"],
      },
      "lazyLoadIntegration of a name that is none": {
        before: ["gives*", "throws"],
      },
      makeBrowserOfflineTransport: {
        before: ["gives*"],
      },
      makeFetchTransport: {
        before: ["gives*"],
      },
      makeMultiplexedTransport: {
        before: ["gives*"],
      },
      spanToTraceHeader: {
        before: ["gives*"],
      },
      startBrowserTracingPageLoadSpan: {
        before: ["gives*"],
      },
      "startSession, captureSession and endSession": {
        before: ["gives*"],
      },
      "startSpan of null": {
        before: ["throws"],
      },
      "startSpan that only has a parent": {
        before: ["gives*"],
      },
      suppressTracing: {
        before: ["gives*"],
      },
      "what a span gives of itself": {
        before: ["gives*", "span renamed*"],
      },
    },
  "An integration does nothing until its code has come.": {
    "addIntegration of captureConsoleIntegration, then console.error": {
      before: ["message To the console"],
    },
    "addIntegration of consoleLoggingIntegration, then console.warn": {
      before: ["log To the log, %s times 3"],
    },
  },
  "The transaction that an event names stays.": {
    "captureEvent with an exception": {
      before: ["error An event by hand*"],
    },
  },
  "The mechanism and the words are not Sentry's.": {
    "captureUnderscoreErrorException of an error": {
      browser: ["error Of the page*"],
    },
    "captureUnderscoreErrorException of nothing": {
      browser: ["error _error.js called with falsy error (null)", "gives*"],
    },
  },
  "A span from before the SDK is a child of the page load, whatever trace it was begun in.": {
    continueTrace: {
      before: ["span continued", "transaction continued"],
    },
    "continueTrace of nothing": {
      before: ["span continues nothing", "transaction continues nothing"],
    },
    "continueTrace of what is no trace": {
      before: ["span continues oddly", "transaction continues oddly"],
    },
    getRootSpan: {
      before: ["span leaf*", "span root", "transaction root"],
    },
    setMeasurement: {
      before: ["span measured", "transaction measured"],
    },
    spanToBaggageHeader: {
      before: ["gives*", "span for baggage", "transaction for baggage"],
    },
    startBrowserTracingNavigationSpan: {
      before: ["span /by/hand", "the visit", "transaction /by/hand"],
    },
    startNewTrace: {
      before: ["span in a new trace", "transaction in a new trace"],
    },
    "startSpan inside of startSpan": {
      before: ["span inner*", "span innermost*"],
    },
    "startSpan that only has a parent": {
      before: ["span without a parent"],
    },
  },
  "What is sent by a promise before the SDK comes is sent later.": {
    getFeedback: {
      before: ["feedback Sent as feedback"],
    },
    sendFeedback: {
      before: ["feedback Sent as feedback", "gives*"],
    },
    "sendFeedback of nothing": {
      before: ["gives*", "throws"],
    },
  },
  "It has no effect in the browser.": {
    "route providers": {
      browser: ["gives*"],
    },
    showReportDialog: {
      browser: ["gives*"],
    },
    withServerActionInstrumentation: {
      after: ["transaction serverAction/action"],
    },
  },
  "An origin that is given as an attribute loses a span from before the SDK.": {
    "startSpan with an origin and an op as attributes": {
      before: ["span with an origin"],
    },
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
