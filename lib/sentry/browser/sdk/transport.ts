import { makeFetchTransport } from "@sentry/browser";
import type { InternalBaseTransportOptions } from "@sentry/core";
import { reportStore } from "@/lib/sentry/browser/first-load/report-store";
import { fetch } from "@/lib/sentry/browser/first-load/visit";
import { isForLater } from "@/lib/sentry/browser/first-load/without-sdk";
import { isMeasurement, keysToSend, storeWithinBounds } from "./report-capacity";

/** Back-off between two tries to send what is stored, in milliseconds. */
const minWait = 5_000;
const maxWait = 5 * 60_000;

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

  /** @returns false for a measurement that the service limits: as with Sentry's own, it is dropped */
  function keep(envelope: string, answer?: Response): boolean {
    if (answer?.headers.has("x-sentry-rate-limits") && isMeasurement(envelope)) return false;
    storeWithinBounds(envelope);
    resendLater(Number(answer?.headers.get("retry-after")) * 1000 || wait);
    wait = Math.min(2 * wait, maxWait);
    return true;
  }

  function resendLater(waitMs = wait): void {
    timer ??= window.setTimeout(resend, waitMs);
  }

  async function resend(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    try {
      await navigator.locks.request("signpost-reports", { ifAvailable: true }, (lock) =>
        lock ? sendStored() : resendLater(),
      );
    } catch {
      // A page without storage gets no lock, and shares nothing with other tabs. Nor does one without
      // TLS: there, two tabs may send the same event, with the same id.
      await sendStored();
    }
  }

  async function sendStored(): Promise<void> {
    const store = reportStore();
    for (let [key] = keysToSend(); key !== undefined; [key] = keysToSend()) {
      const envelope = store[key] ?? "";
      const answer = await post(options.url, { method: "POST", body: envelope });
      delete store[key];
      // If it is kept, it is the last one: the next time, others come first.
      if (isForLater(answer) && keep(envelope, answer)) return;
      wait = minWait;
    }
  }

  addEventListener("online", resend);
  void resend();
  return makeFetchTransport({ ...options, bufferSize }, async (url, init = {}) => {
    const answer = await post(url, init);
    if (answer && !isForLater(answer)) {
      if (timer !== undefined) void resend();
      return answer;
    }
    const body = init.body as string | Uint8Array;
    const envelope = typeof body === "string" ? body : withoutAttachments(body);
    keep(envelope, answer);
    // It is not lost. The SDK respects the service's limits by category.
    const limits = answer?.headers.get("x-sentry-rate-limits");
    return new Response(null, { headers: limits ? { "x-sentry-rate-limits": limits } : {} });
  });
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
    const answer = await fetch(url, { ...init, signal: init.keepalive ? null : left.signal });
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
