import { tunnelPath } from "@/lib/config/public";
import { type Navigation, onNavigation, onNavigationFailure } from "@/lib/navigation/lifecycle";
import { currentRoute } from "./current-route";
import type { ErrorSignal } from "./head-script";
import { type KnownError, reportError, reportTo } from "./known-errors";
import { minimalEnvelope } from "./minimal-envelope";

/** What happened on the page before the SDK came, for its first breadcrumbs and spans. */
export type EarlyMoment = { at: number; route: string } & (
  | { clicked: EventTarget | null }
  | Navigation
);

/** Where reports wait that could be sent neither now nor with the page's last breath. */
export const leftoverKey = "signpost-reports";

/**
 * Milliseconds after the load that are left to the page and its visitor: starting the SDK keeps a
 * slow phone from answering for some 200 ms. Short enough that most visits outlast it.
 */
const grace = 2500;

/** For each page load; one that throws in a loop tells nothing new. */
const most = 50;
const kept: KnownError[] = [];
const moments: EarlyMoment[] = [];
let sent = 0;
let loading = false;

/**
 * Reporting until the SDK is there. The SDK weighs more than all else of the app, so it comes when
 * the page has settled, or at once with the first error. What happens before is kept, with its time,
 * and handed over; if the page is left sooner, or the SDK can't be had, it goes out as it is.
 */
export function watchErrors(): void {
  reportTo(keep);
  const early: ErrorSignal[] = globalThis.signpostEarly ?? [];
  early.splice(0).forEach(onSignal);
  early.push = onSignal;

  addEventListener("click", onClick, true);
  const stopWatching = onNavigation(note);
  onNavigationFailure((error) => reportError(error, "navigation"));
  addEventListener("pagehide", onLeave);
  addEventListener("visibilitychange", onLeave);
  if (document.readyState === "complete") whenSettled();
  else addEventListener("load", whenSettled, { once: true });

  function keep(known: KnownError): void {
    if (kept.length < most) kept.push(known);
    void loadReporting();
  }

  function whenSettled(): void {
    setTimeout(whenIdle, grace);
  }

  function whenIdle(): void {
    // Safari has no requestIdleCallback.
    if ("requestIdleCallback" in window) requestIdleCallback(loadReporting, { timeout: 1000 });
    else void loadReporting();
  }

  /** Fetches and starts the SDK, once; from then on it watches for itself. */
  async function loadReporting(): Promise<void> {
    if (loading) return;
    loading = true;
    try {
      const { start } = await import("@/sentry.client.config");
      const report = await start(moments);
      early.push = () => 0;
      kept.splice(0).forEach(report);
      reportTo(report);
    } catch {
      // Blocked, or gone with another deployment: what there is to tell goes without it.
      send();
      reportTo((known) => {
        kept.push(known);
        send();
      });
    }
    removeEventListener("click", onClick, true);
    stopWatching();
  }
}

function onSignal(signal: ErrorSignal): number {
  if ("reason" in signal) reportError(signal.reason, "onunhandledrejection", signal);
  else reportError(signal.error, "onerror", signal);
  return 0;
}

function onClick({ target }: Event): void {
  note({ clicked: target });
}

function note(moment: { clicked: EventTarget | null } | Navigation): void {
  if (moments.length < most) moments.push({ ...moment, at: Date.now(), route: currentRoute() });
}

function onLeave({ type }: Event): void {
  if (type === "pagehide" || document.visibilityState === "hidden") send();
}

/** Sends what is kept in the smallest valid form, or leaves it to the next page. */
function send(): void {
  for (const known of kept.splice(0)) {
    if (sent++ >= most) return;
    const envelope = minimalEnvelope(known);
    if (navigator.onLine && navigator.sendBeacon(tunnelPath, envelope)) continue;
    try {
      const others = JSON.parse(localStorage[leftoverKey] ?? "[]");
      localStorage[leftoverKey] = JSON.stringify([...others, envelope].slice(-most));
    } catch {
      // The browser lets this page store nothing, and takes no beacon: there is no other way.
    }
  }
}
