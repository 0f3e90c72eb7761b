// The browser half of @sentry/nextjs. That one imports next/router, and so cuts the framework's chunk
// in two: a kilobyte more on the first load of every page.
import {
  type BrowserClient,
  breadcrumbsIntegration,
  browserTracingIntegration,
  type ErrorEvent,
  eventFiltersIntegration,
  functionToStringIntegration,
  globalHandlersIntegration,
  httpContextIntegration,
  init,
  linkedErrorsIntegration,
  withStaticSpan,
} from "@sentry/browser";
import { tunnelPath } from "@/lib/config/public";
import { scrub, scrubEvent } from "@/lib/envelope/scrub";
import { leaveBreadcrumbs } from "@/lib/reporting/browser/breadcrumbs";
import { floodGate } from "@/lib/reporting/browser/flood-gate";
import { rememberKnownErrors, reportKnown } from "@/lib/reporting/browser/known-events";
import { keepLeftovers } from "@/lib/reporting/browser/leftovers";
import { endPageLoad, traceNavigations } from "@/lib/reporting/browser/tracing";
import { relayTransport } from "@/lib/reporting/browser/transport";
import { browserContext } from "@/lib/reporting/browser/user-agent";
import type { EarlyMoment } from "@/lib/reporting/early";
import type { Reporter } from "@/lib/reporting/known-errors";
import { isNoise } from "@/lib/reporting/noise";
import { browserSettings } from "@/lib/reporting/settings";

/** Error events for each page load. */
const mostEvents = 50;

/**
 * Starts Sentry's SDK. Loaded lazily, so importing this file must do nothing by itself.
 *
 * @param moments what happened on the page before
 * @returns what reports an error that the SDK has not seen
 */
export async function start(moments: readonly EarlyMoment[]): Promise<Reporter> {
  const { release, environment, tracesSampleRate } = await browserSettings();
  await keepLeftovers();
  const gate = floodGate<ErrorEvent>(mostEvents, () =>
    client?.recordDroppedEvent("sample_rate", "error"),
  );
  const client = init({
    // No project is named here: the relay puts in the one that the server is configured with.
    dsn: `${location.protocol}//browser@${location.host}/0`,
    tunnel: tunnelPath,
    transport: relayTransport(tunnelPath),
    release,
    environment,
    tracesSampleRate,
    // Older and other Sentry-compatible servers know transactions, but not streamed spans.
    traceLifecycle: "static",
    defaultIntegrations: false,
    integrations: [
      eventFiltersIntegration(),
      functionToStringIntegration(),
      breadcrumbsIntegration({ history: false }),
      globalHandlersIntegration(),
      linkedErrorsIntegration(),
      httpContextIntegration(),
      browserTracingIntegration({ instrumentPageLoad: false, instrumentNavigation: false }),
    ],
    initialScope: { contexts: { browser: { ...browserContext(navigator.userAgent) } } },
    dataCollection: {
      userInfo: false,
      cookies: false,
      httpHeaders: false,
      httpBodies: [],
      urlQueryParams: false,
    },
    beforeSend: (event, { originalException }) =>
      isNoise(event, originalException) ? null : gate(scrubEvent(event)),
    beforeSendTransaction: (event) => scrubEvent(endPageLoad(event)),
    beforeSendSpan: withStaticSpan(scrub),
    beforeBreadcrumb: scrub,
  }) as BrowserClient | undefined;
  if (client) {
    rememberKnownErrors();
    leaveBreadcrumbs(moments);
    traceNavigations(client, moments);
  }
  return reportKnown;
}
