import type Router from "next/router";
import type { ClientOptions } from "../client-options.ts";
import { recordActivity } from "./activity.ts";
import { enter, queueError, state, takeErrors } from "./error-queue.ts";
import { watchNavigation } from "./navigation.ts";
import { isNoise } from "./noise.ts";
import { guarded, whenSettled, whenShown } from "./page-load.ts";
import { violationToReport } from "./policy-violations.ts";
import { reportKeys } from "./report-store.ts";
import { watchRequests } from "./requests.ts";
import { type BrowserErrorEvent, thrownOf } from "./thrown.ts";
import { isVisitSampled, measureVisit, replaysTab, traceHeadersFor } from "./visit.ts";
import { onLeave, sendAtOnce, sendFromPage, sendWithoutSdk } from "./without-sdk.ts";

/**
 * Milliseconds between the page's load and the SDK's in a sampled visit. Starting the SDK blocks a
 * slow phone for some 200 ms, which would delay its answer to the visitor.
 */
const sdkDelay = 2500;

/** Starts what `init` promises. */
export function watchPage(options: ClientOptions, router: typeof Router): void {
  if (options.enabled === false) {
    // What is captured is forgotten.
    enter("off", takeErrors);
    return;
  }
  // First, so that what fails below is reported. When the page is left, its errors are sent before
  // the measurements of the visit, as long as the browser still takes requests.
  guarded(watchErrors)(options);
  guarded(measureVisit)(options);
  guarded(watchRequests)(traceHeadersFor(options.tracePropagationTargets));
  // Before the router fires its first event.
  guarded(watchNavigation)(router);
}

/**
 * Reports errors from the first script of the page on.
 *
 * The SDK weighs more than the rest of the app, so it is loaded only where it has something to do:
 * with the first error, or when the page has settled, if the visit is sampled or an earlier page has
 * left reports. Until then errors wait in the queue of error-queue.ts. If the page is left first,
 * or the SDK can't be loaded, they are sent without it.
 *
 * Sentry has no such thing to install from npm: its loader script, which does the like, comes from
 * its own servers. https://docs.sentry.io/platforms/javascript/install/loader/
 */
export function watchErrors(options: ClientOptions): void {
  // As Sentry's SDK has it. Some pages have frozen `Error`.
  Reflect.set(Error, "stackTraceLimit", 50);
  const activities = recordActivity();
  const events = window.signpostErrors;
  if (events) {
    events.splice(0).forEach(reportEvent);
    // In place of the array's own, which the first script of the page calls.
    events.push = reportEvent as typeof events.push;
  } else {
    // A document without head-script.ts, the first script of a page.
    for (const type of ["error", "unhandledrejection", "securitypolicyviolation"] as const) {
      addEventListener(type, reportEvent);
    }
  }

  // Nothing is smaller than no rate.
  const isReplayed = replaysTab() || Math.random() < (options.replaysSessionSampleRate as number);

  let loading = false;
  let left = false;
  // What fails between `pagehide` and the end of the page can't wait for the SDK. The back/forward
  // cache may bring the page back.
  addEventListener("pagehide", () => {
    left = true;
  });
  addEventListener("pageshow", () => {
    left = false;
  });
  enter("loading", () => (left ? sendWithoutSdk() : whenShown(loadSdk)));
  onLeave(() => sendWithoutSdk());
  whenSettled(sdkDelay, async () => {
    try {
      if (isReplayed || reportKeys()[0] || (await isVisitSampled())) await loadSdk();
    } catch {
      // Not to be known on this page: what fails has the SDK loaded.
    }
  });

  async function loadSdk(): Promise<void> {
    if (loading) return;
    loading = true;
    try {
      // biome-ignore lint/style/noRestrictedImports: the one place that loads it, late.
      await (await import("../sdk/start.ts")).start(activities, options, isReplayed);
    } catch {
      // The app has closed what could not be loaded.
      if (state === "off") return;
      // Blocked, offline, or no longer on the server after a deployment.
      enter("blocked", () => sendWithoutSdk(left ? sendAtOnce : sendFromPage));
      loading = false;
      addEventListener("online", loadSdk);
    }
  }
}

const reportEvent = guarded((event: BrowserErrorEvent | SecurityPolicyViolationEvent) => {
  if ("blockedURI" in event) {
    const violation = violationToReport(event);
    if (violation) queueError(violation, { type: "signpost.policy", handled: false });
  } else {
    // Some promise libraries fire an event of their own, with the reason in its detail. What else has such a
    // name, as a component's event, is told as what it is, as the SDK tells it.
    const { detail } = event as { detail?: PromiseRejectionEvent };
    const from = "reason" in Object(detail) ? (detail as PromiseRejectionEvent) : event;
    const error = "reason" in from ? from.reason : "error" in from ? from.error : from;
    // Noise brings no SDK, and does not leave without it either.
    if (isNoise(thrownOf(error, event), error)) return;
    const type = `auto.browser.global_handlers.on${event.type}`;
    queueError(error, { type, handled: false }, { event });
  }
});
