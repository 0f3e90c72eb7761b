import { describe, expect, it, onTestFinished } from "vitest";
import { parseDsn } from "@/lib/config/dsn.js";
import { Courier } from "@/lib/outbox/courier";
import { Delivery } from "@/lib/outbox/delivery";
import { ServiceLimits } from "@/lib/outbox/service-limits";
import { openOutbox } from "../../support/outboxes";
import { errorEnvelope, eventId } from "../../support/sdk-envelopes";
import { publicKey, type Service, startService } from "../../support/service";

async function report(service?: Service) {
  const to = service ?? (await startService());
  const opened = openOutbox();
  const dsn = parseDsn(to.dsn);
  if (!dsn) throw new Error("no DSN");
  const { clock, log } = { ...opened, log: () => {} };
  const now = () => clock.now;
  const limits = new ServiceLimits(now);
  const delivery = new Delivery(dsn, { connectMs: 500, responseMs: 500 });
  const { outbox } = opened;
  const courier = new Courier({ outbox, delivery, limits, log, now, random: () => 0, lookMs: 10 });
  courier.start();
  onTestFinished(async () => {
    await courier.stop(0);
    await to.close();
  });
  return { ...opened, service: to, courier, limits };
}

describe("the courier", () => {
  it("delivers what is appended, made out to the service", async () => {
    const { outbox, service, clock } = await report();
    const id = eventId();
    await outbox.append(errorEnvelope(id), "browser");
    const envelope = await service.waitFor((s) => s.envelopes[0]);
    expect(envelope.path).toBe("/api/42/envelope/");
    expect(envelope.requestHeaders["x-sentry-auth"]).toContain(`sentry_key=${publicKey}`);
    expect(envelope.header).toMatchObject({
      event_id: id,
      dsn: service.dsn,
      sent_at: new Date(clock.now).toISOString(),
      trace: { trace_id: id, public_key: publicKey },
    });
  });
});
