import { createTransport } from "@sentry/browser";
import { type Outcome, post } from "./post";
import { storedReports, storeReport } from "./report-store";

type TransportOptions = Parameters<typeof createTransport>[0];

/** Back-off between two tries to send what is stored, in milliseconds. */
const minWait = 5_000;
const maxWait = 5 * 60_000;

/** Milliseconds after which a stored report is dropped. */
const maxAge = 24 * 60 * 60 * 1000;

/**
 * Sends the SDK's envelopes to the relay. Those that it can't take now are stored in the browser and
 * sent again, by one tab at a time.
 *
 * Sentry's `makeBrowserOfflineTransport` stores only what `fetch` rejects, and so loses what the
 * server answers with 429 or 5xx.
 */
export function relayTransport(url: string) {
  return (options: TransportOptions) => {
    const onOutcome = resendStored(url);
    return createTransport(options, async ({ body }) => {
      // A string, because no item has a binary payload.
      const envelope = body as string;
      const outcome = await post(url, envelope);
      if (outcome.kind === "refused") throw new Error(`The relay answered ${outcome.status}`);
      if (outcome.kind === "later") {
        const dropped = storeReport(envelope);
        for (let i = 0; i < dropped; i++) options.recordDroppedEvent("queue_overflow", "error");
      }
      onOutcome(outcome);
      return { statusCode: 200, headers: rateLimitsOf(outcome) };
    });
  };
}

/** The service's rate limits by category, for the SDK to respect. */
function rateLimitsOf(outcome: Outcome) {
  const headers = outcome.kind === "refused" ? undefined : outcome.headers;
  return {
    "x-sentry-rate-limits": headers?.get("x-sentry-rate-limits") ?? null,
    "retry-after": null,
  };
}

/** When an envelope was stored, in milliseconds since the epoch. */
function storedAt(key: string): number {
  return Number(/\d+/.exec(key)?.[0]);
}

/**
 * Sends the stored envelopes: now, whenever the browser comes online, and with exponential back-off.
 *
 * @returns takes the outcome of each other post, which tells whether the relay can be reached
 */
function resendStored(url: string): (outcome: Outcome) => void {
  let tries = 0;
  let timer: number | undefined;
  let busy = false;

  async function resend(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (busy) return;
    busy = true;
    try {
      if (storedReports().length > 0) await asOnlyTab(sendAll);
    } catch (error) {
      // The browser allows this page no storage, so nothing is stored.
      if (!(error instanceof DOMException)) throw error;
    } finally {
      busy = false;
    }
  }

  async function sendAll(): Promise<void> {
    for (let [key] = storedReports(); key; [key] = storedReports()) {
      if (Date.now() - storedAt(key) < maxAge) {
        const outcome = await post(url, localStorage[key]);
        if (outcome.kind === "later") return resendLater(outcome.waitMs);
      }
      localStorage.removeItem(key);
      tries = 0;
    }
  }

  /** Without the lock API (a page without TLS), two tabs may send the same event, with the same id. */
  async function asOnlyTab(send: () => Promise<void>): Promise<void> {
    if (!("locks" in navigator)) return send();
    await navigator.locks.request("signpost-reports", { ifAvailable: true }, (lock) =>
      lock ? send() : resendLater(),
    );
  }

  function resendLater(waitMs = Math.min(minWait * 2 ** tries++, maxWait)): void {
    timer ??= window.setTimeout(resend, waitMs);
  }

  addEventListener("online", resend);
  void resend();
  return (outcome) => {
    if (outcome.kind === "later") resendLater(outcome.waitMs);
    else if (timer !== undefined) void resend();
  };
}
