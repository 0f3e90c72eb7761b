import { setMeasurement, startInactiveSpan } from "@sentry/browser";
import type { EarlyActivity } from "../first-load/activity.ts";
import { currentRoute } from "../first-load/navigation.ts";
import { interactionToNextPaint, takeInteraction } from "../first-load/vitals.ts";
import { onLeave } from "../first-load/without-sdk.ts";

/**
 * Sends the visit's longest interaction (INP) as the page is hidden or left, and again when there was a
 * longer one: as the measurement of a small transaction. The SDK's own is a streamed span with the
 * user agent in it, which services that know transactions only would lose, and it leaves out one that
 * came just before.
 *
 * The browser keeps interactions of 104 ms and more; shorter ones are watched from now on.
 *
 * @param activities the last ones of the visit, which tell the page of an interaction
 */
export function sendLastInteraction(activities: readonly EarlyActivity[]): void {
  let short: PerformanceEntry | undefined;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as PerformanceEventTiming[]) {
      const { interactionId, duration } = entry;
      if (interactionId && duration < 104 && duration > (short?.duration ?? 0)) short = entry;
    }
  }).observe({ type: "event", durationThreshold: 40 } as PerformanceObserverInit);
  onLeave(() => {
    const long = interactionToNextPaint();
    const interaction = (long?.duration ?? 0) < (short?.duration ?? 0) ? short : long;
    if (!interaction || !takeInteraction(interaction.duration)) return;
    const { duration, startTime } = interaction;
    // By the browser's clock of the page, which stands still while the machine sleeps, as `startTime` is.
    const before =
      [...activities].reverse().find(({ since }) => since <= startTime) ?? activities[0];
    const at = Date.now() - performance.now() + startTime;
    const span = startInactiveSpan({
      name: before?.route ?? currentRoute(),
      op: "ui.interaction",
      startTime: at / 1000,
      forceTransaction: true,
      parentSpan: null,
      attributes: {
        "sentry.origin": "auto.http.browser.inp",
        "sentry.segment.name.source": "route",
        "url.full": before?.page ?? location.href,
      },
    });
    setMeasurement("inp", duration, "millisecond", span);
    span.end((at + duration) / 1000);
  });
}
