import type * as Sentry from "@sentry/nextjs";
import { getCurrentScope, getIsolationScope } from "sentry-scopes";
import { onQueued, references, takeErrors } from "../first-load/error-queue.ts";
import { onSdk, sdk } from "../first-load/sdk-link.ts";
import { loaded } from "../integrations/loaded.ts";
import "./interim-client.ts";

export {
  addBreadcrumb,
  captureFeedback,
  fmt as parameterize,
  getCurrentScope,
  getGlobalScope,
  getIsolationScope,
  withIsolationScope,
  withScope,
} from "sentry-scopes";
export { getActiveSpan, startInactiveSpan, startSpan, startSpanManual } from "./spans.ts";
export { logger, metrics } from "./telemetry.ts";

/**
 * Sentry's functions in the browser, from a page's first line on. Scopes are the SDK's own, which it
 * finds when it comes; until then interim-client.ts takes what is captured. The package's README says
 * what becomes of each call. What is not exported as it is stands in a module of Sentry's that would bring
 * 10 kB along.
 */

type Sdk = typeof Sentry;

/** @param given a hint or, as with the SDK, what would be its `captureContext`: they share no names */
export const captureException: Sdk["captureException"] = (error, given) => {
  const id = getCurrentScope().captureException(error, {
    captureContext: given,
    ...given,
  } as Sentry.EventHint);
  // It may have been reported before.
  return references.get(error as WeakKey) ?? id;
};

export const captureMessage: Sdk["captureMessage"] = (message, given) =>
  typeof given === "string"
    ? getCurrentScope().captureMessage(message, given)
    : getCurrentScope().captureMessage(message, undefined, { captureContext: given });

export const captureEvent: Sdk["captureEvent"] = (event, hint) =>
  getCurrentScope().captureEvent(event, hint);

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

export const setAttribute: Sdk["setAttribute"] = (key, value) =>
  void getIsolationScope().setAttribute(key, value);

export const setAttributes: Sdk["setAttributes"] = (attributes) =>
  void getIsolationScope().setAttributes(attributes);

export const lastEventId: Sdk["lastEventId"] = () => getIsolationScope().lastEventId();

/** One whose code comes late is added once that is there. */
export const addIntegration: Sdk["addIntegration"] = (integration) => {
  const add = (own: typeof integration | undefined) =>
    own && getCurrentScope().getClient()?.addIntegration(own);
  if ("load" in integration) onSdk(() => void Promise.resolve(loaded(integration)).then(add));
  else add(integration);
};

export const flush: Sdk["flush"] = async (timeout) =>
  getCurrentScope().getClient()?.flush(timeout) ?? false;

/** Nothing is closed: the page goes on. */
export const close: Sdk["close"] = (timeout) => flush(timeout);

/** @returns undefined before the SDK is there */
export const getClient = (() => sdk?.getClient()) as Sdk["getClient"];

/** @returns undefined before the SDK is there */
export const getReplay: Sdk["getReplay"] = () => getClient()?.getIntegrationByName("Replay");

/** @returns undefined before the SDK is there */
export const getFeedback: Sdk["getFeedback"] = () => getClient()?.getIntegrationByName("Feedback");

/** Waits for the SDK. */
export const uiProfiler: Sdk["uiProfiler"] = {
  startProfiler: () => onSdk((running) => void running.getClient()?.emit("startUIProfiler")),
  stopProfiler: () => onSdk((running) => void running.getClient()?.emit("stopUIProfiler")),
};

export const isInitialized: Sdk["isInitialized"] = () => true;

/** What is captured is reported, SDK or not, unless `init` has it forgotten. */
export const isEnabled: Sdk["isEnabled"] = () => onQueued !== takeErrors;

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

function warnOfServer(name: string): void {
  // biome-ignore lint/suspicious/noConsole: who calls it looks there
  console.warn(
    `Sentry.${name} does nothing in the browser: a cron job runs on the server, so call it in an API route.`,
  );
}
