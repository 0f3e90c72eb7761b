import { addEventProcessor, captureException, getActiveSpan, init } from "@sentry/nextjs";
import Router from "next/router";
import { tunnelPath } from "@/lib/config/public";
import type { KnownError, Reporter } from "@/lib/reporting/known-errors";
import { browserSettings } from "@/lib/reporting/settings";

/** Sessions would cost a request more with every page, and no one asked for them. */
const unwanted = ["BrowserSession"];

/**
 * Starts Sentry's SDK. Loaded lazily, so importing this file must do nothing by itself.
 *
 * @returns what reports an error that the SDK has not seen
 */
export async function start(): Promise<Reporter> {
  const settings = await browserSettings();
  init({
    // No project is named here: the relay puts in the one the server is configured with.
    dsn: `${location.protocol}//browser@${location.host}/0`,
    tunnel: tunnelPath,
    release: settings.release,
    environment: settings.environment,
    tracesSampleRate: settings.tracesSampleRate,
    traceLifecycle: "static",
    integrations: (defaults) => defaults.filter(({ name }) => !unwanted.includes(name)),
    dataCollection: {
      userInfo: false,
      cookies: false,
      httpHeaders: false,
      httpBodies: [],
      urlQueryParams: false,
    },
  });
  addEventProcessor((event, hint) => {
    const known = replayed.get(hint.originalException);
    return {
      ...event,
      ...(known && { event_id: known.reference, timestamp: known.at / 1000 }),
      transaction: event.type ? event.transaction : Router.pathname,
    };
  });
  endPageLoadWhenItEnded();
  return report;
}

const replayed = new Map<unknown, KnownError>();

/** Hands an error to the SDK the way the browser would have, with its own time and reference. */
function report(known: KnownError): void {
  const { error, source, event, reference } = known;
  if (source === "onerror") {
    replayed.set(error, known);
    window.onerror?.(
      event?.message ?? "",
      event?.filename,
      event?.lineno,
      event?.colno,
      error as Error,
    );
  } else if (source === "onunhandledrejection") {
    replayed.set(error, known);
    window.onunhandledrejection?.({ reason: error } as PromiseRejectionEvent);
  } else {
    captureException(error, {
      event_id: reference,
      mechanism: { type: `signpost.${source}`, handled: false },
    });
  }
}

/** The SDK came after the page had loaded; without this the load would seem to last until now. */
function endPageLoadWhenItEnded(): void {
  const [load] = performance.getEntriesByType("navigation");
  if (load instanceof PerformanceNavigationTiming && load.loadEventEnd > 0) {
    getActiveSpan()?.end((performance.timeOrigin + load.loadEventEnd) / 1000);
  }
}
