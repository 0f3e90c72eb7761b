import * as Sentry from "@sentry/nextjs";
import type { ComponentClass } from "react";
import type * as boundary from "./error-boundary";

/** On the server, Sentry's functions are the SDK's own. TypeScript takes the types of both halves from here. */
export {
  addBreadcrumb,
  addEventProcessor,
  addIntegration,
  type Breadcrumb,
  captureCheckIn,
  captureEvent,
  captureException,
  captureFeedback,
  captureMessage,
  type ErrorEvent,
  type Event,
  type EventHint,
  flush,
  getActiveSpan,
  getClient,
  getCurrentScope,
  getGlobalScope,
  getIsolationScope,
  isInitialized,
  lastEventId,
  logger,
  metrics,
  type Scope,
  type SeverityLevel,
  type Span,
  setContext,
  setExtra,
  setExtras,
  setTag,
  setTags,
  setUser,
  startInactiveSpan,
  startSpan,
  startSpanManual,
  type User,
  withIsolationScope,
  withMonitor,
  withScope,
} from "@sentry/nextjs";
export type { ErrorBoundaryProps } from "./error-boundary";

export const ErrorBoundary = Sentry.ErrorBoundary as ComponentClass<boundary.ErrorBoundaryProps>;
export const withErrorBoundary = Sentry.withErrorBoundary as typeof boundary.withErrorBoundary;
