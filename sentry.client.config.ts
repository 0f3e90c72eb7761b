// `@sentry/browser` is the browser half of `@sentry/nextjs`, which also imports next/router: that
// splits the framework's chunk and costs the first load of every page a kilobyte.
import {
  type BrowserClient,
  breadcrumbsIntegration,
  browserTracingIntegration,
  eventFiltersIntegration,
  functionToStringIntegration,
  globalHandlersIntegration,
  httpContextIntegration,
  init,
  linkedErrorsIntegration,
} from "@sentry/browser";
import { tunnelPath } from "@/lib/config/public";
import { scrubbing } from "@/lib/envelope/scrub-envelope";
import { leaveBreadcrumbs } from "@/lib/reporting/browser/breadcrumbs";
import type { EarlyMoment } from "@/lib/reporting/browser/early-moments";
import { isNoise } from "@/lib/reporting/browser/noise";
import { completeErrorEvents, replayError } from "@/lib/reporting/browser/replay-errors";
import type { ReportedError } from "@/lib/reporting/browser/report-error";
import { fetchSettings } from "@/lib/reporting/browser/settings";
import {
  continueTrace,
  endPageLoad,
  tellSampleRate,
  traceNavigations,
} from "@/lib/reporting/browser/tracing";
import { relayTransport } from "@/lib/reporting/browser/transport";
import { isVisitSampled } from "@/lib/reporting/browser/visit";

/** Error events for each page load. */
const maxEvents = 50;

/**
 * Starts Sentry's SDK in the browser. It is loaded lazily, and the webpack build imports this file
 * by its name into every page, so importing it must do nothing.
 *
 * @param moments what happened on the page before
 * @returns what hands an error to the SDK that it has not seen
 */
export async function start(
  moments: readonly EarlyMoment[],
): Promise<(reported: ReportedError) => void> {
  const { release, environment, tracesSampleRate } = await fetchSettings();
  const sampled = await isVisitSampled();
  let events = 0;
  const client = init({
    // Names no project: delivery puts in the one that the server is configured with.
    dsn: `${location.protocol}//browser@${location.host}/0`,
    tunnel: tunnelPath,
    transport: scrubbing(relayTransport(tunnelPath)),
    release,
    environment,
    // The visit is sampled, with all that happens in it, or nothing of it is.
    tracesSampleRate: sampled ? 1 : undefined,
    // Older and other Sentry-compatible services know transactions, but not streamed spans.
    traceLifecycle: "static",
    defaultIntegrations: false,
    integrations: [
      eventFiltersIntegration(),
      functionToStringIntegration(),
      breadcrumbsIntegration({ history: false }),
      globalHandlersIntegration(),
      linkedErrorsIntegration(),
      httpContextIntegration(),
      ...(sampled ? [tracing()] : []),
    ],
    initialScope: { contexts: { browser: { ...browserContext(navigator.userAgent) } } },
    dataCollection: {
      userInfo: false,
      cookies: false,
      httpHeaders: false,
      httpBodies: [],
      urlQueryParams: false,
    },
    beforeSend(event, { originalException }) {
      if (isNoise(event, originalException)) return null;
      // The SDK has a sample rate, but no limit for each page load.
      if (++events > maxEvents) {
        client?.recordDroppedEvent("sample_rate", "error");
        return null;
      }
      return event;
    },
    beforeSendTransaction: endPageLoad,
  }) as BrowserClient | undefined;
  if (client) {
    completeErrorEvents();
    leaveBreadcrumbs(moments);
    const { dsc } = continueTrace();
    tellSampleRate(client, dsc?.sample_rate ?? tracesSampleRate);
    if (sampled) traceNavigations(client, moments);
  }
  return replayError;
}

/** traceNavigations makes the spans, by route. */
function tracing() {
  return browserTracingIntegration({
    instrumentPageLoad: false,
    instrumentNavigation: false,
    instrumentBfcacheRestore: false,
  });
}

/** In this order: Edge and Opera also claim to be Chrome, and Chrome claims to be Safari. */
const browsers: [name: string, version: RegExp][] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\/(\d+)/],
  ["Opera", /\bOPR\/(\d+)/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/(\d+)/],
  ["Chrome", /\b(?:Headless)?(?:Chrome|CriOS)\/(\d+)/],
  ["Safari", /\bVersion\/(\d+).*\bSafari\//],
];

/**
 * The browser's name and major version. Sentry would read them from the `User-Agent` header, but
 * reports hold no headers.
 */
function browserContext(userAgent: string): { name: string; version: string } | undefined {
  for (const [name, pattern] of browsers) {
    const version = pattern.exec(userAgent)?.[1];
    if (version) return { name, version };
  }
  return undefined;
}
