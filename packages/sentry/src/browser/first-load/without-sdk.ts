import { basePath } from "./app.ts";
import { type MinimalError, newId, type ReportedError, takeErrors } from "./error-queue.ts";
import { currentRoute } from "./navigation.ts";
import { guarded, whenShown } from "./page-load.ts";
import { storeReport } from "./report-store.ts";
import { fetch } from "./requests.ts";
import { thrownOf } from "./thrown.ts";

// biome-ignore lint/style/noProcessEnv: `withSentryConfig` puts it into each bundle
export const tunnelPath = process.env._sentryTunnelPath || `${basePath}/api/relay`;

/** What a `<meta>` of the page says: the server gives them to pages that it renders for one visit alone. */
export const metaContent = (name: string) =>
  document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content;

/**
 * The trace of the visit, as the header of this name has it: that of the server's request, or else a new
 * one, which nobody has decided on.
 */
export const sentryTrace = metaContent("sentry-trace") || newId();
export const [traceId, spanId, decision] = sentryTrace.split("-") as [string, string?, string?];

/** 16 hex digits */
export const newSpanId = () => newId().slice(16);

/** The place in the visit's trace of what leaves the browser without the SDK. */
export function traceContext() {
  return { trace_id: traceId, span_id: newSpanId(), parent_span_id: spanId };
}

/**
 * Calls back whenever a page that was shown is hidden, left or about to be left. Which of these is the last can't
 * be known. Firefox loses what `pagehide` sends when a page with `Cross-Origin-Opener-Policy` is left
 * for another origin: that is what `beforeunload` is for.
 */
export function onLeave(listener: () => void): void {
  const leave = guarded(listener);
  whenShown(() => {
    addEventListener("beforeunload", leave);
    addEventListener("pagehide", leave);
    addEventListener("visibilitychange", () => document.hidden && leave());
  });
}

/** Sends all errors in the queue without the SDK: by default, as the page is left. */
export function sendWithoutSdk(send: (envelope: string) => unknown = sendAtOnce): void {
  takeErrors().forEach(guarded((reported) => send(minimalErrorEnvelope(reported))));
}

/** Writes what the page knows of a report. The tunnel makes the event of it. */
export function minimalErrorEnvelope(reported: ReportedError): string {
  const payload: MinimalError = {
    event_id: reported.reference,
    timestamp: reported.at / 1000,
    transaction: reported.route ?? currentRoute(),
    request: { url: reported.url.replace(/[?#].*/, "") },
    thrown: {
      mechanism: reported.hint?.mechanism ?? {},
      ...thrownOf(reported.error, reported.event),
    },
    contexts: { trace: traceContext() },
  };
  return minimalEnvelope(reported.complete?.(payload) ?? payload);
}

/**
 * Writes an envelope with one event, to be sent at once: by `sent_at`, the time of the event is corrected
 * where this browser's clock is wrong. Its mark `minimal`, the id of the build, asks the tunnel for what
 * only the server knows: release and environment, and for a transaction whether it is sampled, where `sampled` is
 * not given. That is the rate by which the page has decided it, or `true` where the server has. The item needs no length, because JSON has no newlines.
 * Source: https://develop.sentry.dev/sdk/data-model/envelopes/
 */
export function minimalEnvelope(
  event: { event_id: string; type?: string },
  sampled?: number | boolean,
): string {
  const { event_id, type = "event" } = event;
  // Until Next has started, this is the script element of that name.
  const minimal = window.__NEXT_DATA__?.buildId ?? true;
  // As JSON has it.
  const sent_at = new Date();
  const lines = [{ event_id, sent_at, minimal, sampled }, { type }, event];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/**
 * Posts an envelope by a request that outlives the page.
 *
 * @returns whether the tunnel has taken it
 */
export async function post(envelope: string): Promise<boolean> {
  try {
    const answer = await fetch(tunnelPath, { method: "POST", body: envelope, keepalive: true });
    // What is no JSON comes from a proxy or a captive portal.
    return answer.ok && /json/.test(answer.headers.get("content-type") ?? "");
  } catch {
    return false;
  }
}

/**
 * Sends an envelope from a page that stays. What is not taken is stored for a later page, whose SDK knows by the
 * answer what to do with it: transport.ts.
 */
export async function sendFromPage(envelope: string): Promise<void> {
  if (!(await post(envelope))) storeReport(envelope);
}

/**
 * Sends an envelope as the page is left, without waiting for an answer, or else stores it, as where the
 * browser has no beacons: privacy settings take them away, or have them throw.
 */
export function sendAtOnce(
  envelope: string,
  otherwise: (envelope: string) => unknown = storeReport,
): void {
  try {
    if (navigator.onLine && navigator.sendBeacon(tunnelPath, envelope)) return;
  } catch {}
  otherwise(envelope);
}
