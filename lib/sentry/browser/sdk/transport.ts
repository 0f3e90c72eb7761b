import { createTransport } from "@sentry/browser";
import type {
  DataCategory,
  Envelope,
  EventDropReason,
  InternalBaseTransportOptions,
} from "@sentry/core";
import { reportKeys, reportStores } from "@/lib/sentry/browser/first-load/report-store";
import { type Outcome, post } from "./post";
import { categoriesIn, isMeasurement, keysByKind, storeWithinBounds } from "./report-capacity";

/** Back-off between two tries to send what is stored, in milliseconds. */
const minWait = 5_000;
const maxWait = 5 * 60_000;

/** Milliseconds after which a stored report is dropped. */
const maxAge = 24 * 60 * 60 * 1000;

/** Milliseconds that measurements wait for the end of a limit of the service. */
const maxLimitWait = 60_000;

/**
 * Sends the SDK's envelopes to the tunnel. Those that it can't take now are stored in the browser and
 * sent again, by one tab at a time. Measurements that the service doesn't take for long are dropped.
 *
 * Sentry's `makeBrowserOfflineTransport` stores only what `fetch` rejects, and so loses what the
 * server answers with 429 or 5xx.
 */
export function tunnelTransport(url: string) {
  return (options: InternalBaseTransportOptions) => {
    const countDrops = (reason: EventDropReason, envelopes: string[]) => {
      for (const category of envelopes.flatMap(categoriesIn)) {
        if (category !== "internal") options.recordDroppedEvent(reason, category as DataCategory);
      }
    };
    const onOutcome = resendStored(url, countDrops);
    const transport = createTransport(options, async ({ body }) => {
      const outcome = await post(url, body as string | Uint8Array<ArrayBuffer>);
      if (outcome.kind === "refused") throw new Error(`The tunnel answered ${outcome.status}`);
      if (outcome.kind === "later") {
        const envelope = typeof body === "string" ? body : withoutAttachments(body);
        if (envelope !== body) options.recordDroppedEvent("network_error", "attachment");
        const unwanted = isMeasurement(envelope) && isLimitedForLong(outcome);
        if (unwanted) countDrops("ratelimit_backoff", [envelope]);
        else countDrops("queue_overflow", storeWithinBounds(envelope));
      }
      onOutcome(outcome);
      return { statusCode: 200, headers: rateLimitsOf(outcome) };
    });
    return {
      ...transport,
      send: (envelope: Envelope) =>
        saysNothing(envelope) ? Promise.resolve({}) : transport.send(envelope),
    };
  };
}

/**
 * What can be stored, as text, of an envelope with bytes in it: its event, without the attachments
 * that come after.
 *
 * @throws where it is no event: session replay then sends its recording again by itself
 */
function withoutAttachments(body: Uint8Array): string {
  const lines = new TextDecoder().decode(body).split("\n", 3);
  if (!/"type":"(event|feedback)"/.test(lines[1] ?? "")) throw new Error("Bytes can't be stored");
  return lines.join("\n");
}

/**
 * Whether an envelope is a client report about nothing but requests outside of any trace, such as
 * those of Next's prefetching, and page loads that were measured without the SDK. No option of the
 * SDK stops it from counting these as dropped.
 */
function saysNothing([, items]: Envelope): boolean {
  return [...items].every(
    ([{ type }, payload]) =>
      type === "client_report" &&
      (
        payload as { discarded_events: { reason: string; category: string }[] }
      ).discarded_events.every(
        ({ reason, category }) =>
          reason === "no_parent_span" || (reason === "before_send" && category !== "error"),
      ),
  );
}

function isLimitedForLong({ headers, waitMs = 0 }: Outcome & { kind: "later" }): boolean {
  return headers?.has("x-sentry-rate-limits") === true && waitMs > maxLimitWait;
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
 * @returns takes the outcome of each other post, which tells whether the tunnel can be reached
 */
function resendStored(
  url: string,
  countDrops: (reason: EventDropReason, envelopes: string[]) => void,
): (outcome: Outcome) => void {
  let tries = 0;
  let timer: number | undefined;
  let busy = false;

  async function resend(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (busy) return;
    busy = true;
    try {
      if (reportStores().some((store) => reportKeys(store).length > 0)) await asOnlyTab(sendAll);
    } finally {
      busy = false;
    }
  }

  async function sendAll(): Promise<void> {
    let failures = 0;
    for (const store of reportStores()) {
      for (const key of keysByKind(store).flat()) {
        const envelope = store[key];
        if (envelope !== undefined && Date.now() - storedAt(key) < maxAge) {
          const outcome = await post(url, envelope);
          if (outcome.kind === "later" && isMeasurement(envelope) && isLimitedForLong(outcome)) {
            countDrops("ratelimit_backoff", [envelope]);
          } else if (outcome.kind === "later") {
            // One failure may be this envelope's own; two in a row are the tunnel's.
            if (++failures === 2 || outcome.waitMs) return resendLater(outcome.waitMs);
            continue;
          }
        }
        delete store[key];
        failures = 0;
        tries = 0;
      }
    }
    if (reportStores().some((store) => reportKeys(store).length > 0)) resendLater();
  }

  /** Without the lock API (a page without TLS), two tabs may send the same event, with the same id. */
  async function asOnlyTab(send: () => Promise<void>): Promise<void> {
    if (!("locks" in navigator)) return send();
    const locked = navigator.locks.request("signpost-reports", { ifAvailable: true }, (lock) =>
      lock ? send() : resendLater(),
    );
    try {
      await locked;
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      // A page without storage gets no lock either, and shares nothing with other tabs.
      await send();
    }
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
