import { createTransport } from "@sentry/browser";
import { type Outcome, post } from "./post";
import { claim, forget, keep, release } from "./report-store";

type TransportOptions = Parameters<typeof createTransport>[0];

/** Milliseconds between two tries to deliver what was kept. */
const wait = { first: 5_000, longest: 5 * 60_000 };

/**
 * The SDK's way to the relay. What can't be delivered now is kept in the browser and sent when the
 * relay is back, by whichever tab comes first.
 */
export function relayTransport(url: string) {
  return (options: TransportOptions) => {
    const resend = deliverKept(url);
    return createTransport(options, async ({ body }) => {
      const outcome = await post(url, body as string);
      if (outcome.kind === "refused") throw new Error(`The relay answered ${outcome.status}`);
      if (outcome.kind === "later") {
        const dropped = await keep(body as string);
        for (let i = 0; i < dropped; i++) options.recordDroppedEvent("queue_overflow", "error");
      }
      resend(outcome);
      return { statusCode: 200, headers: limitsOf(outcome) };
    });
  };
}

/** The service's own limits, by category: the SDK then holds such items back. */
function limitsOf(outcome: Outcome) {
  const headers = outcome.kind === "refused" ? undefined : outcome.headers;
  return {
    "x-sentry-rate-limits": headers?.get("x-sentry-rate-limits") ?? null,
    "retry-after": null,
  };
}

/**
 * Delivers what is kept: now, whenever the browser is online again, and after waits that double.
 *
 * @returns to be told of the outcome of each further post
 */
function deliverKept(url: string): (outcome: Outcome) => void {
  let tries = 0;
  let timer: number | undefined;
  let busy = false;

  async function deliver(): Promise<void> {
    if (busy) return;
    busy = true;
    clearTimeout(timer);
    timer = undefined;
    try {
      for (let envelope = await claim(); envelope; envelope = await claim()) {
        const outcome = await post(url, envelope.body);
        if (outcome.kind === "later") {
          await release(envelope);
          return again(outcome.waitMs);
        }
        await forget(envelope);
        tries = 0;
      }
    } catch (error) {
      // A browser that has no IndexedDB, or none for this page, keeps nothing to deliver.
      if (!(error instanceof DOMException)) throw error;
    } finally {
      busy = false;
    }
  }

  function again(waitMs?: number): void {
    const pause = waitMs ?? Math.min(wait.first * 2 ** tries++, wait.longest);
    timer ??= window.setTimeout(deliver, pause);
  }

  addEventListener("online", deliver);
  void deliver();
  return (outcome) => {
    if (outcome.kind === "later") again(outcome.waitMs);
    else if (timer !== undefined) void deliver();
  };
}
