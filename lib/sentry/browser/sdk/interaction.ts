import { type BrowserClient, getCurrentScope } from "@sentry/browser";
import { type Envelope, getDynamicSamplingContextFromScope } from "@sentry/core";
import { currentRoute } from "@/lib/sentry/browser/first-load/error-route";
import { newId } from "@/lib/sentry/browser/first-load/report-error";
import { takeInteraction } from "@/lib/sentry/browser/first-load/visit";
import { interactionToNextPaint } from "@/lib/sentry/browser/first-load/vitals";
import type { EarlyMoment } from "@/lib/sentry/browser/first-load/watch-errors";
import { onLeave } from "@/lib/sentry/browser/first-load/without-sdk";

/**
 * Sends the visit's longest interaction (INP) as the page is hidden or left, and again when there was a
 * longer one: as the measurement of a small transaction. The SDK's own is a streamed span, which services
 * that know transactions only would lose, and it leaves out one that came just before.
 * Source: https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/
 *
 * The browser keeps interactions of 104 ms and more; shorter ones are watched from now on.
 *
 * @param moments the last ones of the visit, which tell the page of an interaction
 */
export function sendLastInteraction(client: BrowserClient, moments: readonly EarlyMoment[]): void {
  let short: PerformanceEntry | undefined;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as PerformanceEventTiming[]) {
      const { interactionId, duration } = entry;
      if (interactionId && duration < 104 && duration > (short?.duration ?? 0)) short = entry;
    }
  }).observe({ type: "event", durationThreshold: 40 } as PerformanceObserverInit);
  onLeave(() => {
    const scope = getCurrentScope();
    const { traceId: trace_id, sampled } = scope.getPropagationContext();
    const long = interactionToNextPaint();
    const interaction = (long?.duration ?? 0) < (short?.duration ?? 0) ? short : long;
    // The team's tracesSampler may have decided against the page.
    if (sampled === false || !interaction || !takeInteraction(interaction.duration)) return;
    const { duration: value, startTime } = interaction;
    const { release, environment } = client.getOptions();
    const { name, version } = client.getSdkMetadata()?.sdk ?? {};
    const at = performance.timeOrigin + startTime;
    const before = moments.findLast((moment) => moment.at <= at) ?? moments[0];
    const start_timestamp = at / 1000;
    const [event_id, sdk] = [newId(), { name, version }];
    const op = "ui.interaction";
    const event = {
      event_id,
      type: "transaction",
      platform: "javascript",
      transaction: before?.route ?? currentRoute(),
      transaction_info: { source: "route" },
      start_timestamp,
      timestamp: start_timestamp + value / 1000,
      release,
      environment,
      contexts: { trace: { trace_id, span_id: newId().slice(16), op, origin: "auto.ui.signpost" } },
      measurements: { inp: { value, unit: "millisecond" } },
      spans: [],
      request: { url: location.href.replace(/[?#].*/, "") },
      sdk,
    };
    const trace = getDynamicSamplingContextFromScope(client, scope);
    const headers = { event_id, sent_at: new Date().toISOString(), trace, sdk };
    void client
      .getTransport()
      ?.send([headers, [[{ type: "transaction" }, event]]] as unknown as Envelope);
  });
}
