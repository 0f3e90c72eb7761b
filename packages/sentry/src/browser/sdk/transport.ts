import { makeFetchTransport } from "@sentry/browser";
import type { InternalBaseTransportOptions } from "@sentry/core";
import { held, reportKeys } from "../first-load/report-store.ts";
import { fetch } from "../first-load/requests.ts";
import {
  isMeasurement,
  keysToSend,
  readReport,
  removeReport,
  storeWithinBounds,
} from "./report-capacity.ts";

/** Back-off between two tries to send what is stored, in milliseconds. */
const minWait = 5_000;
const maxWait = 5 * 60_000;

/** Milliseconds after which a stored report is dropped. */
const maxAge = 24 * 60 * 60_000;

/** Bytes. Browsers allow 64 KiB in all for requests that outlive their page; the SDK counts characters. */
const maxKeepalive = 60_000;

/** How often what a proxy refuses is sent, by one page: the refusal may pass in a moment, or never. */
const maxRefusals = 4;

/** More than a page sends at once: Sentry's transport drops what is over it. */
const bufferSize = 150;

/** Aborts, as the page is left, the requests that the browser would abort without an error. */
let left = new AbortController();
addEventListener("pagehide", () => left.abort());
addEventListener("pageshow", () => {
  if (left.signal.aborted) left = new AbortController();
});

/**
 * Sentry's transport, to the tunnel. What that can't take now is stored in the browser, and sent again
 * by one tab at a time: as the SDK starts, when the browser comes online, and with exponential back-off.
 *
 * Sentry's `makeBrowserOfflineTransport` stores only what `fetch` rejects, and so loses what the
 * server answers with 429 or 5xx.
 */
export function tunnelTransport(options: InternalBaseTransportOptions & { url: string }) {
  let wait = minWait;
  let timer: number | undefined;
  let busy = false;
  /** How often each stored report has been refused. */
  const refusals: Record<string, number> = {};

  /** @returns whether it is sent again */
  function isKept(key: string, answer?: Response): boolean {
    if (isForLater(answer) || isOfTunnel(answer)) return isForLater(answer);
    const envelope = readReport(key);
    removeReport(key);
    if (envelope !== undefined) held[key] = envelope;
    refusals[key] = (refusals[key] ?? 0) + 1;
    return refusals[key] < maxRefusals;
  }

  function resendLater(waitMs?: number): void {
    if (timer !== undefined) return;
    timer = window.setTimeout(resend, waitMs ?? wait);
    if (waitMs === undefined) wait = Math.min(2 * wait, maxWait);
  }

  async function resend(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (busy) return;
    busy = true;
    try {
      if (reportKeys().length > 0) await asOnlyTab(sendStored, resendLater);
    } catch {
      // Such as of a page whose storage another script has replaced.
      resendLater();
    } finally {
      busy = false;
    }
  }

  async function sendStored(): Promise<void> {
    let failures = 0;
    for (const key of keysToSend()) {
      const envelope = readReport(key);
      if (envelope !== undefined && Date.now() - storedAt(key) < maxAge) {
        const answer = await post(options.url, { method: "POST", body: sentNow(envelope) });
        if (isKept(key, answer) && !isUnwanted(envelope, answer)) {
          // One failure may be this envelope's own; two in a row are the tunnel's.
          if (++failures === 2 || retryAfter(answer)) return resendLater(retryAfter(answer));
          continue;
        }
      }
      removeReport(key);
      failures = 0;
      wait = minWait;
    }
    if (reportKeys().length > 0) resendLater();
  }

  addEventListener("online", resend);
  void resend();
  return makeFetchTransport({ ...options, bufferSize }, async (url, init = {}) => {
    const answer = await post(url, init);
    if (answer && isOfTunnel(answer) && !isForLater(answer)) {
      if (timer !== undefined) void resend();
      return answer;
    }
    const body = init.body as string | Uint8Array;
    const envelope = typeof body === "string" ? body : withoutAttachments(body);
    if (!isUnwanted(envelope, answer)) {
      const key = storeWithinBounds(envelope);
      if (key && isKept(key, answer)) resendLater(retryAfter(answer));
    }
    // It is not lost. The SDK respects the service's limits by category.
    const limits = answer?.headers.get("x-sentry-rate-limits");
    return new Response(null, { headers: limits ? { "x-sentry-rate-limits": limits } : {} });
  });
}

/**
 * An envelope as it is sent again. By its `sent_at` and when it arrives, the server knows how wrong this
 * browser's clock is: the time that it was stored must not count as that.
 */
function sentNow(envelope: string): string {
  const [first = "", ...rest] = envelope.split("\n");
  try {
    const header = { ...JSON.parse(first), sent_at: new Date().toISOString() };
    return [JSON.stringify(header), ...rest].join("\n");
  } catch {
    // Another script has stored it under our keys: the tunnel refuses it.
    return envelope;
  }
}

/** When an envelope was stored, in milliseconds since the epoch. */
function storedAt(key: string): number {
  return Number(/\d+/.exec(key)?.[0]);
}

/** A measurement that the service limits is dropped, as by Sentry's own transport. */
function isUnwanted(envelope: string, answer?: Response): boolean {
  return isMeasurement(envelope) && Boolean(answer?.headers.has("x-sentry-rate-limits"));
}

/** How long the answer asks to wait: milliseconds, a day at most. */
function retryAfter(answer?: Response): number | undefined {
  const wait = Number(answer?.headers.get("retry-after")) * 1000;
  return wait > 0 ? Math.min(wait, maxAge) : undefined;
}

/** Without the lock API (a page without TLS), two tabs may send the same event, with the same id. */
async function asOnlyTab(send: () => Promise<void>, otherwise: () => void): Promise<void> {
  if (!("locks" in navigator)) return send();
  let asked = false;
  try {
    await navigator.locks.request("signpost-reports", { ifAvailable: true }, (lock) => {
      asked = true;
      return lock ? send() : otherwise();
    });
  } catch (error) {
    if (asked) throw error;
    // A page without storage gets no lock either, and shares nothing with other tabs.
    await send();
  }
}

/** Whether the tunnel has answered: what is no JSON comes from a proxy or a captive portal. */
function isOfTunnel(answer?: Response): boolean {
  return Boolean(answer?.headers.get("content-type")?.includes("json"));
}

/**
 * Whether what was posted can't be taken now. While the server restarts, proxies answer with 5xx or 404;
 * another 4xx of theirs refuses what was posted, as a firewall does for its words.
 */
function isForLater(answer?: Response): boolean {
  const { status = 503 } = answer ?? {};
  const isElsewhere = !isOfTunnel(answer) && (status < 400 || status === 404);
  return isElsewhere || status >= 500 || [408, 425, 429].includes(status);
}

/**
 * Posts an envelope to the tunnel. If the page is left meanwhile, one with `keepalive` is still sent;
 * any other is given up, while the page can still store it.
 *
 * @returns nothing if the browser is offline or the connection broke: fetch tells no more. It also
 *   rejects while the page is being left, although the request goes on: sending again at once would
 *   send twice
 */
async function post(url: URL | RequestInfo, init: RequestInit): Promise<Response | undefined> {
  try {
    // Where a page has no `fetch` any more, or one that can't be read. A beacon gets no answer to wait for.
    if (!fetch) {
      const isTaken = navigator.sendBeacon(`${url}`, init.body as BodyInit);
      const headers = { "content-type": "application/json" };
      return isTaken ? new Response("{}", { headers }) : undefined;
    }
    const { size } = new Blob([init.body as BlobPart]);
    const keepalive = Boolean(init.keepalive) && size < maxKeepalive;
    const signal = keepalive ? null : left.signal;
    const answer = await fetch(url, { ...init, keepalive, signal });
    // An unread body keeps the request open, and its bytes count against what may outlive the page.
    await answer.text();
    return answer;
  } catch {
    return undefined;
  }
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
