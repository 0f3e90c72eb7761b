// `@sentry/browser` is the browser half of `@sentry/nextjs`, which also imports next/router: that
// splits the framework's chunk and costs the first load of every page a kilobyte.
import {
  type BrowserClient,
  type BrowserOptions,
  getDefaultIntegrations,
  getGlobalScope,
  init,
  userTimingIntegration,
  withActiveSpan,
  withScope,
} from "@sentry/browser";
import {
  applySdkMetadata,
  createClientReportEnvelope,
  getDefaultCurrentScope,
  Scope,
} from "@sentry/core";
import { version } from "react";
import { tunnelPath } from "@/lib/base/config/public";
import { scrubbing } from "@/lib/relay/envelope/scrub-envelope";
import { readUserAgent } from "@/lib/relay/envelope/user-agent";
import { dropped, onErrorQueued, takeErrors } from "@/lib/sentry/browser/first-load/report-error";
import { announceSdk } from "@/lib/sentry/browser/first-load/sdk-link";
import { fetchSettings } from "@/lib/sentry/browser/first-load/settings";
import { isVisitSampled, tracePropagationTargets } from "@/lib/sentry/browser/first-load/visit";
import type { EarlyMoment } from "@/lib/sentry/browser/first-load/watch-errors";
import { onLeave } from "@/lib/sentry/browser/first-load/without-sdk";
import { options } from "@/sentry.client.config";
import { leaveBreadcrumbs } from "./early-activity";
import { sendLastInteraction } from "./interaction";
import * as running from "./replay";
import {
  completeTransaction,
  continueTrace,
  leftAt,
  loadedUrl,
  traceNavigations,
  tracing,
} from "./tracing";
import { tunnelTransport } from "./transport";

/**
 * Of Sentry's default integrations. The page itself hears errors, from its first line on, and the server
 * counts sessions. An error that happens three times is three events.
 */
const unwanted = /^(BrowserApiErrors|BrowserSession|Dedupe|GlobalHandlers)$/;
/** Measures of Next's own: how long it hydrates and renders. */
const ofNext = /^Next\.js-/;

/**
 * Starts Sentry's SDK in the browser with the team's options, and hands over what waits for it. This
 * file and all that only it imports are loaded lazily.
 *
 * @param moments clicks and navigations on the page so far; later ones are added
 */
export async function start(moments: readonly EarlyMoment[]): Promise<void> {
  const { release, environment, tracesSampleRate } = await fetchSettings();
  const sampled = await isVisitSampled();
  const { initialScope } = options;
  const given: BrowserOptions = {
    // With a stack, services title a message by the function that has sent it.
    attachStacktrace: false,
    // Most would tell of requests outside of a trace, which nobody misses.
    sendClientReports: false,
    // A redirected request would fail: visit.ts.
    tracePropagationTargets: [...tracePropagationTargets],
    ...options,
    initialScope: undefined,
    beforeSend: running.limited(options.beforeSend),
    // Names no project: delivery puts in the one that the server is configured with.
    dsn: `${location.protocol}//browser@${location.host}/0`,
    tunnel: tunnelPath,
    transport: scrubbing(tunnelTransport),
    release,
    environment,
    // The visit is sampled, with all that happens in it, or nothing of it is.
    tracesSampleRate: sampled ? 1 : undefined,
    tracesSampler: sampled ? options.tracesSampler : undefined,
    // Older and other Sentry-compatible services know transactions, but not streamed spans.
    traceLifecycle: "static",
    // A team's own integration of the same name takes the place of one of these.
    defaultIntegrations: [
      ...getDefaultIntegrations({}).filter(({ name }) => !unwanted.test(name)),
      // Spans from before the SDK are measures: lib/sentry/spans.ts.
      ...(sampled ? [tracing(), userTimingIntegration({ ignore: [ofNext] })] : []),
    ],
    dataCollection: {
      userInfo: false,
      cookies: false,
      httpHeaders: false,
      httpBodies: [],
      urlQueryParams: false,
    },
  };
  applySdkMetadata(given, "nextjs", ["nextjs", "react"]);
  // Not in the scope of a callback from before, which may not have settled yet.
  withScope(getDefaultCurrentScope(), (scope) => {
    // What has stood for the SDK's client: `init` warns where there is one.
    const interim = scope.getClient();
    scope.setClient(undefined);
    let client: BrowserClient;
    try {
      // For all that is captured from now on, also in a scope from before. One of lib/sentry's takes
      // none of the SDK's own, which is of another copy of the class.
      getGlobalScope().update(
        initialScope instanceof Scope ? initialScope.getScopeData() : initialScope,
      );
      client = init(given) as BrowserClient;
    } catch (error) {
      // Half an SDK would drop captures.
      scope.setClient(interim);
      throw error;
    }
    const contexts = { react: { version }, ...readUserAgent(navigator.userAgent) };
    getGlobalScope().update({ contexts }).addEventProcessor(completeTransaction);
    running.completeErrorEvents(client);
    leaveBreadcrumbs(moments, new URL(loadedUrl()).pathname);
    const { dsc } = continueTrace();
    // Within a sampled visit the SDK samples everything. The service multiplies by the rate of visits.
    client.on("createDsc", (created) => {
      if (created.sample_rate) created.sample_rate = String(dsc?.sample_rate ?? tracesSampleRate);
    });
    if (sampled) {
      traceNavigations(client, moments);
      sendLastInteraction(moments);
    }
    onLeave(() => {
      const { count: quantity } = dropped;
      if (!quantity) return;
      dropped.count = 0;
      const discarded = { reason: "queue_overflow", category: "error", quantity } as const;
      void client.sendEnvelope(createClientReportEnvelope([discarded]));
    });
    announceSdk(running);
    for (const early of takeErrors()) {
      if (early.at < leftAt(moments)) running.replayError(early, true);
      // It is no failure of the page load, whose span is the active one.
      else withActiveSpan(null, () => running.replayError(early, true));
    }
    onErrorQueued(() => {
      for (const error of takeErrors()) running.replayError(error);
    }, false);
  });
}
