import { runtimeConfig } from "@/lib/config/runtime";
import { log } from "@/lib/log";
import type { OutboxStats } from "@/lib/outbox/outbox";
import { limitOutbox, outboxEngine } from "@/lib/outbox/outbox-singleton";
import { singleton } from "@/lib/singleton";
import { envelopeResolver } from "@/lib/source-maps/resolve-envelope";
import { Courier } from "./courier";
import { Delivery } from "./delivery";
import { deliveringFeedbackAsEvents } from "./feedback-events";
import { ServiceLimits } from "./service-limits";

const expiryIntervalMs = 60_000;

interface ProcessState {
  limits: ServiceLimits;
  courier?: Courier;
  expiryTimer?: NodeJS.Timeout;
}

function state(): ProcessState {
  return singleton("delivery", () => {
    const { dsn, feedbackAsEvent } = runtimeConfig();
    const limits = new ServiceLimits(Date.now, dsn?.envelopeUrl, feedbackAsEvent);
    limitOutbox(() => limits.limitedForLong());
    return { limits };
  });
}

/** What the service has asked not to be sent, as far as the courier knows. */
export function serviceLimits(): ServiceLimits {
  return state().limits;
}

/** @returns a sample rate as it holds now: 0 while the service takes no measurements */
export function rateNow(rate: number): number {
  return serviceLimits().takesMeasurements() ? rate : 0;
}

/**
 * Starts delivery to the configured service. Without a service, only removes reports that are too
 * old for the inbox. Further calls do nothing.
 */
export function startDelivery(): void {
  const shared = state();
  if (shared.courier || shared.expiryTimer) return;
  const outbox = outboxEngine();
  const { dsn, resolveStacks, feedbackAsEvent } = runtimeConfig();
  if (dsn) {
    const delivery = new Delivery(dsn);
    shared.courier = new Courier({
      outbox,
      delivery: feedbackAsEvent ? deliveringFeedbackAsEvents(delivery) : delivery,
      limits: shared.limits,
      log,
      ...(resolveStacks && { resolve: envelopeResolver() }),
    });
    shared.courier.start();
    return;
  }
  const expire = () => {
    outbox.expire(0).catch((error) => log("warn", "reports not expired", { cause: String(error) }));
  };
  shared.expiryTimer = setInterval(expire, expiryIntervalMs);
  shared.expiryTimer.unref();
  expire();
}

/**
 * Delivers what can be delivered at once.
 *
 * @param maxMs maximum time
 * @returns how the outbox is then; undefined if there is no service to deliver to
 */
export async function deliverNow(maxMs: number): Promise<OutboxStats | undefined> {
  const { courier } = state();
  if (!courier) return undefined;
  await courier.deliverNow(maxMs);
  return outboxEngine().stats();
}

/**
 * Delivers what can be delivered at once, then stores everything in memory. The outbox
 * still accepts reports afterwards; the next start delivers them.
 */
export async function stopDelivery(deadlineMs = 1500): Promise<void> {
  const shared = state();
  const { courier } = shared;
  shared.courier = undefined;
  clearInterval(shared.expiryTimer);
  shared.expiryTimer = undefined;
  await courier?.stop(deadlineMs);
  await outboxEngine().flush();
}
