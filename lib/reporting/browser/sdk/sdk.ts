// `@sentry/browser` is the browser half of `@sentry/nextjs`, which also imports next/router: that
// splits the framework's chunk and costs the first load of every page a kilobyte.
import {
  addBreadcrumb,
  addIntegration,
  type BrowserClient,
  type BrowserOptions,
  breadcrumbsIntegration,
  browserTracingIntegration,
  cultureContextIntegration,
  eventFiltersIntegration,
  flush,
  functionToStringIntegration,
  getActiveSpan,
  getClient,
  getCurrentScope,
  getGlobalScope,
  getIsolationScope,
  globalHandlersIntegration,
  httpContextIntegration,
  init,
  lastEventId,
  linkedErrorsIntegration,
  startInactiveSpan,
  startSpan,
  startSpanManual,
} from "@sentry/browser";
import { applySdkMetadata } from "@sentry/core";
import { version } from "react";
import { tunnelPath } from "@/lib/config/public";
import { scrubbing } from "@/lib/envelope/scrub-envelope";
import { readUserAgent } from "@/lib/envelope/user-agent";
import type { EarlyMoment } from "@/lib/reporting/browser/first-load/early-moments";
import { isNoise } from "@/lib/reporting/browser/first-load/noise";
import { onErrorQueued, takeErrors } from "@/lib/reporting/browser/first-load/report-error";
import { announceSdk, earlyIntegrations } from "@/lib/reporting/browser/first-load/sdk-link";
import { fetchSettings } from "@/lib/reporting/browser/first-load/settings";
import { isVisitSampled } from "@/lib/reporting/browser/first-load/visit";
import { inTurn } from "@/lib/reporting/hooks";
import { options } from "@/sentry.client.config";
import { leaveBreadcrumbs } from "./breadcrumbs";
import { sendLastInteraction } from "./interaction";
import {
  captureLog,
  captureMetric,
  replayItems,
  replaySpans,
  takeOver,
  withAnyScope,
  withSdksScope,
} from "./replay-calls";
import { completeErrorEvents, replayError, replayLaterError } from "./replay-errors";
import { continueTrace, endPageLoad, tellSampleRate, traceNavigations } from "./tracing";
import { tunnelTransport } from "./transport";

/** Error events for each page load, and as many messages: they don't keep out an error. */
const maxEvents = 50;

/**
 * Starts Sentry's SDK in the browser with the team's options, and hands over what waits for it. This
 * file and all that only it imports are loaded lazily.
 *
 * @param moments what happened on the page before
 */
export async function start(moments: readonly EarlyMoment[]): Promise<void> {
  const { release, environment, tracesSampleRate } = await fetchSettings();
  const sampled = await isVisitSampled();
  const counts = { errors: 0, messages: 0 };
  const given: BrowserOptions = {
    // With a stack, services title a message by the function that has sent it.
    attachStacktrace: false,
    ...options,
    // Names no project: delivery puts in the one that the server is configured with.
    dsn: `${location.protocol}//browser@${location.host}/0`,
    tunnel: tunnelPath,
    transport: scrubbing(tunnelTransport(tunnelPath)),
    release,
    environment,
    // The visit is sampled, with all that happens in it, or nothing of it is.
    tracesSampleRate: sampled ? 1 : undefined,
    tracesSampler: sampled ? options.tracesSampler : undefined,
    // Older and other Sentry-compatible services know transactions, but not streamed spans.
    traceLifecycle: "static",
    // A team's own integration of the same name takes the place of one of these.
    defaultIntegrations: [
      eventFiltersIntegration(),
      functionToStringIntegration(),
      breadcrumbsIntegration({ history: false }),
      globalHandlersIntegration(),
      linkedErrorsIntegration(),
      httpContextIntegration(),
      cultureContextIntegration(),
      ...(sampled ? [tracing()] : []),
    ],
    dataCollection: {
      userInfo: false,
      cookies: false,
      httpHeaders: false,
      httpBodies: [],
      urlQueryParams: false,
    },
    beforeSend: inTurn(
      (event, hint) => (isNoise(event, hint.originalException) ? null : event),
      options.beforeSend,
      (event) => {
        // The SDK has a sample rate, but no limit for each page load.
        if (++counts[event.exception ? "errors" : "messages"] <= maxEvents) return event;
        client?.recordDroppedEvent("sample_rate", "error");
        return null;
      },
    ),
    beforeSendTransaction: inTurn(endPageLoad, options.beforeSendTransaction),
  };
  applySdkMetadata(given, "nextjs", ["nextjs", "react"]);
  const client = init(given) as BrowserClient | undefined;
  if (client) {
    getGlobalScope().setContext("react", { version });
    for (const [name, context] of Object.entries(readUserAgent(navigator.userAgent))) {
      getGlobalScope().setContext(name, context);
    }
    completeErrorEvents();
    leaveBreadcrumbs(moments);
    const { dsc } = continueTrace();
    tellSampleRate(client, dsc?.sample_rate ?? tracesSampleRate);
    if (sampled) {
      traceNavigations(client, moments);
      sendLastInteraction(client, moments);
    }
  }
  for (const integration of earlyIntegrations.splice(0)) addIntegration(integration);
  const left = moments.find((moment) => "stages" in moment && !moment.shallow)?.at ?? Infinity;
  for (const early of takeErrors()) {
    if (early.at < left) replayError(early);
    else replayLaterError(early);
  }
  onErrorQueued(() => takeErrors().forEach(replayError), Number.NEGATIVE_INFINITY);
  announceSdk({
    addBreadcrumb,
    addIntegration,
    flush,
    getActiveSpan,
    getClient,
    getCurrentScope,
    getGlobalScope,
    getIsolationScope,
    lastEventId,
    startInactiveSpan: (options) => startInactiveSpan(withSdksScope(options)),
    startSpan: (options, callback) => startSpan(withSdksScope(options), callback),
    startSpanManual: (options, callback) => startSpanManual(withSdksScope(options), callback),
    withScope: withAnyScope,
    captureLog,
    captureMetric,
    takeOver,
    replayItems,
    replaySpans,
  });
}

/** traceNavigations makes the spans, by route. */
function tracing() {
  return browserTracingIntegration({
    instrumentPageLoad: false,
    instrumentNavigation: false,
    instrumentBfcacheRestore: false,
  });
}
