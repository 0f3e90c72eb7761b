import { onTestFinished } from "vitest";
import { parseDsn } from "@/lib/config/dsn";
import { Courier, type CourierOptions } from "@/lib/delivery/courier";
import { Delivery, type DeliveryLimits } from "@/lib/delivery/delivery";
import { ServiceLimits } from "@/lib/delivery/service-limits";
import type { OutboxBounds } from "@/lib/outbox/outbox";
import { openOutbox, type TestClock, withDelays } from "./outboxes";
import { type Service, startService } from "./service";

interface Setting {
  service?: Service;
  /** Where reports go, if not to the service. */
  dsn?: string;
  file?: string;
  bounds?: OutboxBounds;
  clock?: TestClock;
  time?: Partial<DeliveryLimits>;
  resolve?: CourierOptions["resolve"];
  maxClaimMs?: number;
}

/**
 * A courier at work between a real file and a real service, without jitter. It reaches the outbox
 * with delays, which the test controls.
 */
export async function startCourier(setting: Setting = {}) {
  const service = setting.service ?? (await startService());
  const opened = openOutbox({ ...setting, limited: () => limits.limitedForLong() });
  const { outbox, clock, log } = opened;
  let step = 0;
  let underWay = 0;
  let closed = false;
  const now = () => {
    if (underWay === 0) clock.now += step;
    return clock.now;
  };
  const limits = new ServiceLimits(now);
  const dsn = parseDsn(setting.dsn ?? service.dsn);
  if (!dsn) throw new Error("Expected a DSN.");
  const real = new Delivery(dsn, setting.time);
  const delivery: Pick<Delivery, "send" | "close"> = {
    async send(report, at) {
      underWay++;
      try {
        return await real.send(report, at);
      } finally {
        underWay--;
      }
    },
    close() {
      closed = true;
      real.close();
    },
  };
  const delays = withDelays(outbox);
  const { resolve } = setting;
  const options = {
    outbox: delays.engine,
    delivery,
    limits,
    log,
    now: () => clock.now + (clock.setBy ?? 0),
    monotonicNow: now,
    ...(resolve && { resolve }),
    ...(setting.maxClaimMs && { maxClaimMs: setting.maxClaimMs }),
  };
  const courier = new Courier({ ...options, random: () => 0, pollMs: 1 });
  courier.start();
  onTestFinished(async () => {
    delays.passAll();
    await courier.stop(0);
    await service.close();
  });
  /**
   * Makes time pass quickly: 0.1 s whenever the courier reads the clock, but not while a report
   * is being sent, because how long that takes is chance.
   */
  const hurry = () => {
    step = 100;
  };
  return { ...opened, service, courier, limits, delays, hurry, isClosed: () => closed };
}
