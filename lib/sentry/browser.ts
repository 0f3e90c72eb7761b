import type * as Sentry from "@sentry/nextjs";
import { sendWithoutSdk } from "@/lib/reporting/browser/first-load/minimal-envelope";
import { queue } from "@/lib/reporting/browser/first-load/report-error";
import { earlyIntegrations, onSdk, sdk } from "@/lib/reporting/browser/first-load/sdk-link";
import { capture, getIsolationScope, withScope } from "./capture";

export { getCurrentScope, getGlobalScope, getIsolationScope, lastEventId } from "./capture";
export { ErrorBoundary, type ErrorBoundaryProps, withErrorBoundary } from "./error-boundary";
export { getActiveSpan, startInactiveSpan, startSpan, startSpanManual } from "./spans";
export { logger, metrics } from "./telemetry";

/**
 * Sentry's functions in the browser, from a page's first line on. Before the SDK is there, what is
 * captured waits in the queue of lib/reporting/browser/first-load/report-error.ts, with the scope,
 * time, URL and route of its moment. Like an error that nobody catches, it has the SDK loaded.
 * docs/sentry.md says what becomes of each call.
 */

type Sdk = typeof Sentry;

export const captureException: Sdk["captureException"] = (error, hint) => capture({ error }, hint);

export const captureMessage: Sdk["captureMessage"] = (message, context) =>
  typeof context === "string"
    ? capture({ message, level: context })
    : capture({ message }, context);

export const captureEvent: Sdk["captureEvent"] = (event, hint) =>
  capture({ event: { timestamp: Date.now() / 1000, ...event } }, hint);

export const captureFeedback: Sdk["captureFeedback"] = (feedback, hint, scope) => {
  const { email: contact_email, associatedEventId: associated_event_id, tags, ...rest } = feedback;
  const event = {
    type: "feedback",
    level: "info",
    contexts: { feedback: { ...rest, contact_email, associated_event_id } },
    tags,
  } as Sentry.Event;
  return captureEvent(event, { captureContext: scope, ...hint });
};

export const addBreadcrumb: Sdk["addBreadcrumb"] = (breadcrumb, hint) =>
  sdk ? sdk.addBreadcrumb(breadcrumb, hint) : void getIsolationScope().addBreadcrumb(breadcrumb);

export const addEventProcessor: Sdk["addEventProcessor"] = (processor) =>
  void getIsolationScope().addEventProcessor(processor);

export const setUser: Sdk["setUser"] = (user) => void getIsolationScope().setUser(user);

export const setTag: Sdk["setTag"] = (key, value) => void getIsolationScope().setTag(key, value);

export const setTags: Sdk["setTags"] = (tags) => void getIsolationScope().setTags(tags);

export const setExtra: Sdk["setExtra"] = (key, extra) =>
  void getIsolationScope().setExtra(key, extra);

export const setExtras: Sdk["setExtras"] = (extras) => void getIsolationScope().setExtras(extras);

export const setContext: Sdk["setContext"] = (name, context) =>
  void getIsolationScope().setContext(name, context);

const sdksWithScope = withScope as Sdk["withScope"];

export { sdksWithScope as withScope };

/** A browser has one isolation scope, as with Sentry's SDK. */
export const withIsolationScope = (<T>(callback: (scope: Sentry.Scope) => T): T =>
  withScope(() => callback(getIsolationScope()))) as Sdk["withIsolationScope"];

/** Where the SDK is not there yet, it gets the integration when it comes, before what waits. */
export const addIntegration: Sdk["addIntegration"] = (integration) =>
  sdk ? sdk.addIntegration(integration) : void earlyIntegrations.push(integration);

/** @returns undefined before the SDK is there */
export const getClient = (() => sdk?.getClient()) as Sdk["getClient"];

/** What is captured is reported, SDK or not. */
export const isInitialized: Sdk["isInitialized"] = () => true;

/**
 * Waits until what was captured has been sent. If the SDK is not there by then, what waits is sent
 * without it, as from a page that is left.
 *
 * @param timeout milliseconds
 * @returns false if the SDK has not sent everything in that time
 */
export const flush: Sdk["flush"] = async (timeout = 2000) => {
  const start = performance.now();
  if (!sdk && queue.length > 0) {
    await new Promise((resolve) => {
      onSdk(resolve);
      setTimeout(resolve, timeout);
    });
  }
  if (sdk) return sdk.flush(Math.max(1, timeout + start - performance.now()));
  sendWithoutSdk();
  return true;
};
