import { browser, type Differs, type Place } from "./app/snippets/snippet.ts";

type Where = "browser" | "before" | "after";

/**
 * What is wrong in the browser and not yet mended: for each fault the snippets that show it, and the facts that
 * differ, as `Differs` has them. Where one no longer differs, the suite fails: its row is to be taken out.
 */
const rows: Record<string, Record<string, Partial<Record<Where, string[]>>>> = {
  "What takes the SDK's code gives what can be used until that has come, and not what the SDK would give.":
    {
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
      "route providers": {
        before: ["gives*"],
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
      spanToBaggageHeader: {
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
    },
  "An integration does nothing until its code has come.": {
    "addIntegration of captureConsoleIntegration, then console.error": {
      before: ["message To the console"],
    },
    "addIntegration of consoleLoggingIntegration, then console.warn": {
      before: ["log To the log, %s times 3"],
    },
  },
  "A navigation by hand is no end of the page load.": {
    startBrowserTracingNavigationSpan: {
      before: ["span /by/hand", "the visit", "transaction /by/hand"],
    },
  },
  "A span that never ends is kept: requests of the SDK's own code end after it.": {
    "startSpanManual that never ends": {
      before: ["span without an end"],
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
