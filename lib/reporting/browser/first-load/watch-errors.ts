import { onNavigationFailure } from "@/lib/navigation/lifecycle";
import { afterLoad, whenIdle } from "@/lib/navigation/page-load";
import { type EarlyMoment, recordMoments } from "./early-moments";
import type { ErrorSource } from "./error-route";
import { sendWithoutSdk } from "./minimal-envelope";
import { exceptionOf } from "./minimal-exception";
import { navigationFailure } from "./navigation-failure";
import { isNoise } from "./noise";
import { violationToReport } from "./policy-violations";
import {
  type BrowserErrorEvent,
  captureException,
  mechanismOf,
  onErrorQueued,
} from "./report-error";
import { reportKeys, reportStores } from "./report-store";
import { isVisitSampled } from "./visit";
import { onLeave, sendAtOnce, sendFromPage } from "./without-sdk";

/**
 * Milliseconds between the page's load and the SDK's in a sampled visit. Starting the SDK blocks a
 * slow phone for some 200 ms, which would delay its answer to the visitor.
 */
const sdkDelay = 2500;

/**
 * Reports errors from the first script of the page on.
 *
 * The SDK weighs more than the rest of the app, so it is loaded only where it has something to do:
 * with the first error, or when the page has settled, if the visit is sampled or an earlier page has
 * left reports. Until then errors wait in the queue of report-error.ts. If the page is left first,
 * or the SDK can't be loaded, they are sent without it.
 *
 * Sentry has no such thing to install from npm: its loader script, which does the like, comes from
 * its own servers. https://docs.sentry.io/platforms/javascript/install/loader/
 */
export function watchErrors(): void {
  const moments: EarlyMoment[] = [];
  const stopRecording = recordMoments(moments);
  const events = globalThis.signpostErrors ?? [];
  events.splice(0).forEach(reportEvent);
  events.push = reportEvent;
  onNavigationFailure((error) => {
    const failure = navigationFailure(error);
    if (failure) reportUnlessNoise(failure, "navigation");
  });

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
  onErrorQueued(() => (left ? sendWithoutSdk() : loadSdk()));
  onLeave(() => sendWithoutSdk());
  afterLoad(() => setTimeout(whenIdle, sdkDelay, onSettled));

  async function onSettled(): Promise<void> {
    const hasStored = reportStores().some((store) => reportKeys(store).length > 0);
    if (hasStored || (await isVisitSampled())) void loadSdk();
  }

  async function loadSdk(): Promise<void> {
    if (loading) return;
    loading = true;
    try {
      const { start } = await import("@/lib/reporting/browser/sdk/sdk");
      await start(moments);
      // The SDK has its own listeners now, but none for violations.
      events.push = (event) => ("blockedURI" in event ? reportEvent(event) : 0);
    } catch {
      // Blocked, offline, or no longer on the server after a deployment.
      onErrorQueued(() => sendWithoutSdk(left ? sendAtOnce : sendFromPage));
      loading = false;
      addEventListener("online", loadSdk, { once: true });
    }
    stopRecording();
  }
}

/** In place of the array's own `push`, which the first script of the page calls. */
function reportEvent(event: BrowserErrorEvent | SecurityPolicyViolationEvent): number {
  if ("blockedURI" in event) {
    const violation = violationToReport(event);
    if (violation) captureException(violation, "policy");
  } else {
    reportUnlessNoise("reason" in event ? event.reason : event.error, "event", event);
  }
  return 0;
}

/** Noise brings no SDK, and does not leave without it either. */
function reportUnlessNoise(error: unknown, source: ErrorSource, event?: BrowserErrorEvent): void {
  const mechanism = { type: mechanismOf({ source, event }) };
  const exception = { values: [{ ...exceptionOf(error, event), mechanism }] };
  if (!isNoise({ exception }, error)) captureException(error, source, event);
}
