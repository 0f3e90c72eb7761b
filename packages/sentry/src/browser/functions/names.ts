import {
  _INTERNAL_insertFlagToScope,
  _INTERNAL_setSpanForScope,
  getActiveSpan,
  getCurrentScope,
  makeSession,
  type PropagationContext,
  type Scope,
  type Span,
  type StartSpanOptions,
  spanToTraceHeader,
  withScope,
} from "sentry-scopes";
import { bringSdk, newId } from "../first-load/error-queue.ts";
import { named } from "../first-load/named.ts";
import { Arrival, sdk } from "../first-load/sdk-link.ts";
import { traceHeader } from "../first-load/visit.ts";
import { metaContent } from "../first-load/without-sdk.ts";
import { type Call, integration, late, lateClass, object, promised, waits } from "./late.ts";
import { startInactiveSpan, withActiveSpan } from "./spans.ts";

/*
 * Names of the SDK's whose code comes with it: each is its own then, and before what stands here. A page carries
 * those that it names. tests/contracts/sentry-names.test.ts says which one is lacking.
 */

/* What is the same in the SDK's own words: these know no SDK, or a span of either side. */
export {
  getRootSpan,
  getSpanDescendants,
  getSpanStatusFromHttpCode,
  spanToJSON,
  spanToStaticSpanJSON,
  spanToTraceHeader,
  updateSpanName,
  withStaticSpan,
  withStreamedSpan,
} from "sentry-scopes";

/* Calls that wait for the SDK. */
export const bindScopeToEmitter = /* @__PURE__ */ late("bindScopeToEmitter");
export const captureSession = /* @__PURE__ */ late("captureSession");
export const createCachedRouteProvider = /* @__PURE__ */ late("createCachedRouteProvider", object);
export const createUrlRouteProvider = /* @__PURE__ */ late("createUrlRouteProvider", object);
export const endSession = /* @__PURE__ */ late("endSession");
export const forceLoad = /* @__PURE__ */ late("forceLoad");
export const getRouteProvider = /* @__PURE__ */ late("getRouteProvider");
export const instrumentOutgoingRequests = /* @__PURE__ */ late("instrumentOutgoingRequests");
export const instrumentSupabaseClient = /* @__PURE__ */ late("instrumentSupabaseClient");
export const normalizeStringifyValue = /* @__PURE__ */ late("normalizeStringifyValue");
export const registerSpanErrorInstrumentation = /* @__PURE__ */ late(
  "registerSpanErrorInstrumentation",
);
export const registerWebWorker = /* @__PURE__ */ late("registerWebWorker");
export const reportPageLoaded = /* @__PURE__ */ late("reportPageLoaded");
export const resolveCurrentRoute = /* @__PURE__ */ late("resolveCurrentRoute");
export const resolveRoute = /* @__PURE__ */ late("resolveRoute");
export const setCurrentClient = /* @__PURE__ */ late("setCurrentClient");
export const setHttpStatus = /* @__PURE__ */ late("setHttpStatus");
export const setMeasurement = /* @__PURE__ */ late(
  "setMeasurement",
  (own, name: string, value: number, unit: string, span = getActiveSpan()) =>
    waits(own, name, value, unit, span),
);
export const setRouteProvider = /* @__PURE__ */ late("setRouteProvider");

/* Promises of what it gives. */
export const diagnoseSdkConnectivity = /* @__PURE__ */ late("diagnoseSdkConnectivity", promised);
export const eventFromException = /* @__PURE__ */ late("eventFromException", promised);
export const eventFromMessage = /* @__PURE__ */ late("eventFromMessage", promised);
export const lazyLoadIntegration = /* @__PURE__ */ late("lazyLoadIntegration", promised);
export const sendFeedback = /* @__PURE__ */ late("sendFeedback", (own, ...args) => {
  bringSdk();
  return promised(own, ...args);
});

/* Objects and classes. */
export const createConsolaReporter = /* @__PURE__ */ late("createConsolaReporter", object);
export const createTransport = /* @__PURE__ */ late("createTransport", object);
export const makeFetchTransport = /* @__PURE__ */ late("makeFetchTransport", object);
export const makeBrowserOfflineTransport = /* @__PURE__ */ late(
  "makeBrowserOfflineTransport",
  transport,
);
export const makeMultiplexedTransport = /* @__PURE__ */ late("makeMultiplexedTransport", transport);
export const BrowserClient = /* @__PURE__ */ lateClass("BrowserClient");
/** A flag belongs to what is captured after it. */
type Flag = { flagKey: string; value?: unknown; defaultValue?: unknown };
export const OpenFeatureIntegrationHook = /* @__PURE__ */ lateClass("OpenFeatureIntegrationHook", {
  after: (_: unknown, { flagKey, value }: Flag) => _INTERNAL_insertFlagToScope(flagKey, value),
  error: ({ flagKey, defaultValue }: Flag) => _INTERNAL_insertFlagToScope(flagKey, defaultValue),
});
export const buildLaunchDarklyFlagUsedHandler = /* @__PURE__ */ late(
  "buildLaunchDarklyFlagUsedHandler",
  () => ({
    name: "sentry-flag-auditor",
    type: "flag-used",
    synchronous: true,
    method: (key: string, { value }: Flag) => _INTERNAL_insertFlagToScope(key, value),
  }),
);

/** Of a function that makes a transport's maker. */
function transport(make: Arrival<Call>, ...args: unknown[]): Call {
  return (...options) => {
    const maker = new Arrival<Call>();
    make.on((arrived) => maker.come(arrived(...args)));
    return object(maker, ...options);
  };
}

/* Values. */
/** That the page load was left for another page is known from Next's router. */
export const startBrowserTracingNavigationSpan = /* @__PURE__ */ late(
  "startBrowserTracingNavigationSpan",
  (_, _client: unknown, options: StartSpanOptions) => {
    const own = { op: "navigation", forceTransaction: true, parentSpan: null };
    const span = startInactiveSpan({ ...options, ...own });
    sdk.on(() => span.end());
    return span;
  },
);
/** The page load is measured without it. */
export const startBrowserTracingPageLoadSpan = /* @__PURE__ */ late(
  "startBrowserTracingPageLoadSpan",
  () => undefined,
);
export const createUserFeedbackEnvelope = /* @__PURE__ */ late("createUserFeedbackEnvelope", () => [
  {},
  [],
]);
export const defaultStackParser = /* @__PURE__ */ late("defaultStackParser", () => []);
export const exceptionFromError = /* @__PURE__ */ late(
  "exceptionFromError",
  (_, _parser: unknown, { name, message }: Error) => ({ type: name, value: message }),
);
export const getAbsoluteUrl = /* @__PURE__ */ late(
  "getAbsoluteUrl",
  (_, url: string) => new URL(url, location.href).href,
);
export const getTraceData = /* @__PURE__ */ late(
  "getTraceData",
  (_, given: { span?: Span; scope?: Scope } = {}) => {
    const { span = getActiveSpan(), scope = getCurrentScope() } = given;
    const { traceId } = scope.getPropagationContext();
    const baggage = metaContent("baggage");
    return {
      "sentry-trace": span ? spanToTraceHeader(span) : traceHeader(traceId),
      ...(baggage && { baggage }),
    };
  },
);
export const setActiveSpanInBrowser = /* @__PURE__ */ late(
  "setActiveSpanInBrowser",
  (_, span: Span) => {
    const [scope, previous] = [getCurrentScope(), getActiveSpan()];
    const { end } = span;
    // Until it ends, as with the SDK.
    span.end = (at) => {
      _INTERNAL_setSpanForScope(scope, previous);
      end(at);
    };
    _INTERNAL_setSpanForScope(scope, span);
  },
);
export const isBotUserAgent = /* @__PURE__ */ late("isBotUserAgent", () => false);
export const spanToBaggageHeader = /* @__PURE__ */ late(
  "spanToBaggageHeader",
  () => metaContent("baggage") || undefined,
);
export const startSession = /* @__PURE__ */ late("startSession", (own, context?: object) => {
  own.on((arrived) => arrived(context));
  return makeSession(context);
});
export const WINDOW = globalThis as unknown as Window & typeof globalThis;
/** As the SDK has them. */
export const defaultRequestInstrumentationOptions = {
  traceFetch: true,
  traceXHR: true,
  enableHTTPTimings: true,
};

/** Each is its priority, and the parser. */
type LineParser = [priority: number, parse: (line: string) => object | undefined];
const lineParser = (
  priority: number,
  name:
    | "chromeStackLineParser"
    | "geckoStackLineParser"
    | "opera10StackLineParser"
    | "opera11StackLineParser"
    | "winjsStackLineParser",
): LineParser => {
  const own: Arrival<LineParser> = named(name) as never;
  return [priority, (line) => own.now?.[1](line)];
};
export const chromeStackLineParser = /* @__PURE__ */ lineParser(30, "chromeStackLineParser");
export const geckoStackLineParser = /* @__PURE__ */ lineParser(50, "geckoStackLineParser");
export const opera10StackLineParser = /* @__PURE__ */ lineParser(10, "opera10StackLineParser");
export const opera11StackLineParser = /* @__PURE__ */ lineParser(20, "opera11StackLineParser");
export const winjsStackLineParser = /* @__PURE__ */ lineParser(40, "winjsStackLineParser");
export const defaultStackLineParsers = [chromeStackLineParser, geckoStackLineParser];

/* Callbacks, which run at once. */

/** As the SDK reads the header. */
const traceparent = /^\s*([0-9a-f]{32})-?([0-9a-f]{16})?-?([01])?\s*$/;

/** Runs in the trace of this header, or in a new one. */
function inTrace<T>(callback: (scope: Scope) => T, header = ""): T {
  const [, traceId = newId(), parentSpanId, sampled] = traceparent.exec(header) ?? [];
  const context: PropagationContext = { traceId, sampleRand: Math.random() };
  if (parentSpanId) Object.assign(context, { parentSpanId, sampled: sampled && sampled === "1" });
  return withActiveSpan(null, (scope) => callback(scope.setPropagationContext(context)));
}
export const continueTrace = /* @__PURE__ */ late(
  "continueTrace",
  (_, { sentryTrace }: { sentryTrace?: string }, callback: (scope: Scope) => unknown) =>
    inTrace(callback, sentryTrace),
);
export const startNewTrace = /* @__PURE__ */ late("startNewTrace", (_, callback: () => unknown) =>
  inTrace(callback),
);
export const suppressTracing = /* @__PURE__ */ late(
  "suppressTracing",
  (_, callback: () => unknown) =>
    withScope((scope) => {
      scope.setSDKProcessingMetadata({ __SENTRY_SUPPRESS_TRACING__: true });
      return callback();
    }),
);
export const onLoad = /* @__PURE__ */ late("onLoad", (_, callback: () => unknown) => callback());

/* The one integration that Sentry shows with a method of its own; the others are in integrations.ts. */
export const featureFlagsIntegration = /* @__PURE__ */ integration("featureFlags", "FeatureFlags", {
  addFeatureFlag: (name: string, value: unknown) => _INTERNAL_insertFlagToScope(name, value),
});
