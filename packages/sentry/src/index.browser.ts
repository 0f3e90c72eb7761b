/**
 * The browser's half of what an app imports. Only modules without effects of their own stand here: a
 * page that calls `init` alone carries neither scopes nor spans. Names stand one by one where `export *` would
 * cost: 13 bytes in each page, and 0.6 kB in one that calls them.
 */

export {
  MULTIPLEXED_TRANSPORT_EXTRA_KEY,
  Scope,
  SDK_VERSION,
  SEMANTIC_ATTRIBUTE_SENTRY_OP,
  SEMANTIC_ATTRIBUTE_SENTRY_ORIGIN,
  SEMANTIC_ATTRIBUTE_SENTRY_SAMPLE_RATE,
} from "sentry-scopes";
export {
  captureFailedNavigation,
  captureReactException,
  captureUnderscoreErrorException,
} from "./browser/first-load/captures.ts";
export { init } from "./browser/first-load/init.ts";
export {
  addBreadcrumb,
  addEventProcessor,
  addIntegration,
  captureCheckIn,
  captureEvent,
  captureException,
  captureFeedback,
  captureMessage,
  captureRequestError,
  close,
  flush,
  getActiveSpan,
  getClient,
  getCurrentScope,
  getFeedback,
  getGlobalScope,
  getIsolationScope,
  getReplay,
  isEnabled,
  isInitialized,
  lastEventId,
  logger,
  metrics,
  parameterize,
  setAttribute,
  setAttributes,
  setContext,
  setConversationId,
  setExtra,
  setExtras,
  setTag,
  setTags,
  setUser,
  showReportDialog,
  startInactiveSpan,
  startSpan,
  startSpanManual,
  uiProfiler,
  withActiveSpan,
  withIsolationScope,
  withMonitor,
  withScope,
  withServerActionInstrumentation,
} from "./browser/functions/calls.ts";
export { ErrorBoundary, withErrorBoundary } from "./browser/functions/error-boundary.tsx";
export * from "./browser/functions/integrations.ts";
export * from "./browser/functions/names.ts";
export {
  createReduxEnhancer,
  Profiler,
  reactErrorHandler,
  reactRouterBrowserTracingIntegration,
  reactRouterV3BrowserTracingIntegration,
  reactRouterV4BrowserTracingIntegration,
  reactRouterV5BrowserTracingIntegration,
  reactRouterV6BrowserTracingIntegration,
  reactRouterV7BrowserTracingIntegration,
  tanstackRouterBrowserTracingIntegration,
  useProfiler,
  withProfiler,
  withSentryReactRouterV6Routing,
  withSentryReactRouterV7Routing,
  withSentryRouting,
  wrapCreateBrowserRouter,
  wrapCreateBrowserRouterV6,
  wrapCreateBrowserRouterV7,
  wrapCreateMemoryRouter,
  wrapCreateMemoryRouterV6,
  wrapCreateMemoryRouterV7,
  wrapReactRouterRouting,
  wrapUseRoutes,
  wrapUseRoutesV6,
  wrapUseRoutesV7,
} from "./browser/functions/react.ts";
/** A name that stands above goes before one of these. */
export * from "./shared/wrappers.ts";
