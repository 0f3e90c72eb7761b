import type * as Sentry from "@sentry/nextjs";
import {
  getCurrentScope as currentScope,
  getGlobalScope as globalScope,
  withIsolationScope as inIsolation,
  withScope as inScope,
  getIsolationScope as isolationScope,
} from "sentry-scopes";
import { references, started, state } from "../first-load/error-queue.ts";
import { sdk } from "../first-load/sdk-link.ts";
import { forget, isInitialized } from "./interim-client.ts";

export { fmt as parameterize, getActiveSpan } from "sentry-scopes";
export { captureFeedback } from "./feedback.ts";
export { startInactiveSpan, startSpan, startSpanManual, withActiveSpan } from "./spans.ts";
export { logger, metrics } from "./telemetry.ts";
export { isInitialized };

/**
 * Sentry's functions in the browser, from a page's first line on. Scopes are the SDK's own, which it
 * finds when it comes; until then interim-client.ts takes what is captured. CALLS.md says
 * what becomes of each call. What is not exported as it is stands in a module of Sentry's that would bring
 * 10 kB along.
 */

type Sdk = typeof Sentry;

/*
 * What is captured by a scope needs the client. A bundler follows a name that is passed on to where it is from, and
 * leaves out what stands on the way: so these are this module's own. Functions, which it can leave out one by one.
 */
export const getCurrentScope: Sdk["getCurrentScope"] = () => currentScope();
export const getGlobalScope: Sdk["getGlobalScope"] = () => globalScope();
export const getIsolationScope: Sdk["getIsolationScope"] = () => isolationScope();
export const withIsolationScope = ((...given: Parameters<typeof inIsolation>) =>
  inIsolation(...given)) as Sdk["withIsolationScope"];
export const withScope = ((...given: Parameters<typeof inScope>) =>
  inScope(...given)) as Sdk["withScope"];

/** @param given a hint or, as with the SDK, what would be its `captureContext`: they share no names */
export const captureException: Sdk["captureException"] = (error, given) => {
  const id = currentScope().captureException(error, {
    captureContext: given,
    ...given,
  } as Sentry.EventHint);
  // It may have been reported before.
  return references.get(error as WeakKey) ?? id;
};

export const captureMessage: Sdk["captureMessage"] = (message, given) =>
  typeof given === "string"
    ? currentScope().captureMessage(message, given)
    : currentScope().captureMessage(message, undefined, { captureContext: given });

export const captureEvent: Sdk["captureEvent"] = (event, hint) =>
  currentScope().captureEvent(event, hint);

/** Before, `beforeBreadcrumb` is not asked: the SDK asks it about these, too. */
export const addBreadcrumb: Sdk["addBreadcrumb"] = (breadcrumb, hint) =>
  sdk.now
    ? sdk.now.addBreadcrumb(breadcrumb, hint)
    : void isolationScope().addBreadcrumb({ ...breadcrumb }, started.options?.maxBreadcrumbs);

export const addEventProcessor: Sdk["addEventProcessor"] = (processor) =>
  void isolationScope().addEventProcessor(processor);

export const setUser: Sdk["setUser"] = (user) => void isolationScope().setUser(user);

export const setTag: Sdk["setTag"] = (key, value) => void isolationScope().setTag(key, value);

export const setTags: Sdk["setTags"] = (tags) => void isolationScope().setTags(tags);

export const setExtra: Sdk["setExtra"] = (key, extra) => void isolationScope().setExtra(key, extra);

export const setExtras: Sdk["setExtras"] = (extras) => void isolationScope().setExtras(extras);

export const setContext: Sdk["setContext"] = (name, context) =>
  void isolationScope().setContext(name, context);

export const setAttribute: Sdk["setAttribute"] = (key, value) =>
  void isolationScope().setAttribute(key, value);

export const setAttributes: Sdk["setAttributes"] = (attributes) =>
  void isolationScope().setAttributes(attributes);

export const setConversationId: Sdk["setConversationId"] = (id) =>
  void isolationScope().setConversationId(id);

export const lastEventId: Sdk["lastEventId"] = () => isolationScope().lastEventId();

/** One whose code comes late is added once that is there. */
export const addIntegration: Sdk["addIntegration"] = (integration) =>
  currentScope().getClient()?.addIntegration(integration);

export const flush: Sdk["flush"] = async (timeout) =>
  currentScope().getClient()?.flush(timeout) ?? false;

/** As with the SDK, nothing is reported after it. */
export const close: Sdk["close"] = async (timeout) => {
  const done = (await currentScope().getClient()?.close(timeout)) ?? false;
  forget();
  return done;
};

/** As with the SDK, there is one from `init` on. */
export const getClient = (() =>
  isInitialized() ? currentScope().getClient() : undefined) as Sdk["getClient"];

/** @returns undefined before the SDK is there */
export const getReplay: Sdk["getReplay"] = () => getClient()?.getIntegrationByName("Replay");

/** @returns undefined before the SDK is there */
export const getFeedback: Sdk["getFeedback"] = () => getClient()?.getIntegrationByName("Feedback");

/** Waits for the SDK. */
export const uiProfiler: Sdk["uiProfiler"] = {
  startProfiler: () => sdk.on((running) => void running.getClient()?.emit("startUIProfiler")),
  stopProfiler: () => sdk.on((running) => void running.getClient()?.emit("stopUIProfiler")),
};

/** What is captured is reported, SDK or not, unless `init` or `close` has it forgotten. */
export const isEnabled: Sdk["isEnabled"] = () =>
  isInitialized() && state !== "off" && getClient()?.getOptions().enabled !== false;

/** TypeScript sees one module for both halves, so that these must be here too. */
export const captureCheckIn: Sdk["captureCheckIn"] = () => {
  warnOfServer("captureCheckIn");
  return "";
};

/** The callback runs, as on the server. */
export const withMonitor: Sdk["withMonitor"] = (_slug, callback) => {
  warnOfServer("withMonitor");
  return callback();
};

export const captureRequestError = (): void => {
  warnOfServer("captureRequestError");
};

/** The callback runs, as on the server. */
export const withServerActionInstrumentation = (async (...args: unknown[]) => {
  warnOfServer("withServerActionInstrumentation");
  return (args.pop() as () => unknown)();
}) as Sdk["withServerActionInstrumentation"];

function warnOfServer(name: string): void {
  warn(`Sentry.${name} does nothing in the browser: call it on the server, as in an API route.`);
}

/** It is a page of Sentry's own servers, which no report goes to. */
export const showReportDialog: Sdk["showReportDialog"] = () =>
  warn("Sentry.showReportDialog shows nothing here: feedbackIntegration has a form.");

function warn(sentence: string): void {
  // biome-ignore lint/suspicious/noConsole: who calls it looks there
  console.warn(sentence);
}
