import { describe, expect, it, onTestFinished } from "vitest";
import { version } from "@/packages/relay/package.json";
import { idsOf, startDispatcher } from "@/tests/support/dispatchers";
import { wholeEnvelope } from "@/tests/support/envelopes";
import { claimAll, engines, envelopesIn, openOutbox, statsOf } from "@/tests/support/outboxes";
import {
  envelopeOf,
  errorEnvelope,
  eventId,
  transactionEnvelope,
} from "@/tests/support/sdk-envelopes";
import { publicKey, type ReceivedEnvelope } from "@/tests/support/service";

const span = envelopeOf({}, [{ type: "span" }, "{}"]);

/** Counts the reports that wait for their source, which never comes. */
function endlessResolve() {
  let asked = 0;
  const resolve = () => {
    asked++;
    return new Promise<never>(() => {});
  };
  return { resolve, asked: () => asked };
}

describe("the dispatcher", () => {
  it("delivers what is appended, addressed to the service", async () => {
    const { outbox, service, clock } = await startDispatcher();
    const id = eventId();
    await outbox.append(errorEnvelope(id), "browser");
    const envelope = await service.waitFor((s) => s.envelopes[0]);
    expect(envelope.path).toBe("/api/42/envelope/");
    expect(envelope.header).toEqual({
      event_id: id,
      dsn: service.dsn,
      sent_at: "2020-01-01T00:00:00.000Z",
      trace: { trace_id: id, public_key: publicKey },
    });
    expect(envelope.items[0]?.payload).toMatchObject({ event_id: id });
    expect(Object.keys(envelope.requestHeaders).sort()).toEqual([
      "connection",
      "content-length",
      "content-type",
      "host",
      "user-agent",
      "x-sentry-auth",
    ]);
    const auth = envelope.requestHeaders["x-sentry-auth"];
    expect(auth).toContain(`sentry_client=signpost/${version}, sentry_key=${publicKey}`);
    await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0, lastDelivery: clock.now });
  });

  it("sends a report once, however long the service takes: its lease may end meanwhile", async () => {
    const { outbox, service, clock } = await startDispatcher();
    await service.behave("hang");
    await outbox.append(errorEnvelope(), "browser");
    await service.waitFor((s) => s.attempts[0]);
    clock.now += 60_000;
    // A claim would bring both.
    await outbox.append(errorEnvelope(), "browser");
    await service.waitFor((s) => s.attempts[1]);
    expect(new Set(service.attempts.map(({ header }) => header.event_id)).size).toBe(2);
    expect(service.attempts).toHaveLength(2);
  });

  it("sends what resolving makes of a report, and the report itself where that fails", async () => {
    const resolved = errorEnvelope();
    const { outbox, service, lines } = await startDispatcher({
      resolve: async ({ items }) => {
        if (items[0]?.type === "span") throw new Error("broken");
        return wholeEnvelope(resolved);
      },
    });
    await outbox.append(errorEnvelope(), "browser");
    const envelope = await service.waitFor((s) => s.envelopes[0]);
    expect(resolved.toString()).toContain(String(envelope.header.event_id));
    await outbox.append(span, "browser");
    await service.waitFor((s) => s.items("span")[0]);
    expect(lines).toEqual([
      { level: "warn", event: "report not resolved", fields: { cause: "Error: broken" } },
    ]);
  });

  it("keeps its claim of a report for as long as the service takes", async () => {
    const opened = openOutbox();
    const other = openOutbox({ file: opened.file, clock: opened.clock }).outbox;
    const { outbox, service, clock, delays } = await startDispatcher({ open: () => opened });
    await service.behave("hang");
    await outbox.append(errorEnvelope(), "browser");
    await service.waitFor((s) => s.attempts[0]);
    for (let n = 0; n < 4; n++) {
      clock.now += 30_000;
      const before = delays.calls("renew");
      await expect.poll(() => delays.calls("renew")).toBeGreaterThan(before + 1);
      expect(await claimAll(other)).toEqual([]);
    }
  });

  it("renews its claims of others where that of one can't be renewed, and none while one is under way", async () => {
    const opened = openOutbox();
    const renewed = new Map<number, number>();
    opened.outbox.renew = ({ id }) => {
      renewed.set(id, (renewed.get(id) ?? 0) + 1);
      if (renewed.size === 1) return Promise.reject(new Error("locked"));
      return renewed.size === 2 ? new Promise(() => {}) : Promise.resolve();
    };
    const { outbox, service } = await startDispatcher({ open: () => opened });
    await service.behave("hang");
    for (let n = 0; n < 3; n++) await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => [...renewed.values()][2]).toBeGreaterThan(4);
    expect([...renewed.values()][1]).toBe(1);
  });

  it("sends large reports one at a time, and others meanwhile, also while it pauses", async () => {
    const maxBytes = 256 * 1024 * 1024;
    const { outbox, service, clock, lines } = await startDispatcher({ maxBytes });
    // The first has more bytes than all small ones together may have.
    const large = { [eventId()]: 17, [eventId()]: 5 };
    const isLarge = ({ header }: ReceivedEnvelope) => String(header.event_id) in large;
    await service.behave("hang");
    for (const [id, mebibytes] of Object.entries(large)) {
      const attachment = Buffer.alloc(mebibytes * 1024 * 1024, "x");
      await outbox.append(
        envelopeOf(
          { event_id: id },
          [{ type: "event" }, "{}"],
          [{ type: "attachment" }, attachment],
        ),
        "browser",
      );
    }
    await service.waitFor((s) => s.attempts.some(isLarge));
    await service.behave({ answers: [500, 200] });
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => lines).toHaveLength(1);
    clock.now += 60_000;
    await outbox.append(errorEnvelope(), "browser");
    await service.waitFor((s) => s.envelopes.length === 2);
    expect(service.attempts.filter(isLarge)).toHaveLength(1);
  });

  it("names the visitor's address where it was kept", async () => {
    const { outbox, service } = await startDispatcher();
    await outbox.append(errorEnvelope(), "browser", { clientAddress: "192.0.2.1" });
    const { requestHeaders } = await service.waitFor((s) => s.envelopes[0]);
    expect(requestHeaders["x-forwarded-for"]).toBe("192.0.2.1");
  });

  it("sends no more than sixteen at once", async () => {
    const { outbox, service, manyPolls } = await startDispatcher({ times: { stallMs: 500 } });
    await service.behave("hang");
    for (let n = 0; n < 30; n++) await outbox.append(errorEnvelope(), "browser");
    await service.waitFor((s) => s.attempts.length === 16);
    await manyPolls();
    expect(service.attempts).toHaveLength(16);
  });

  it("drops what it can't read, and delivers the others at once", async () => {
    const opened = openOutbox();
    await opened.outbox.append(errorEnvelope(), "browser");
    await opened.driver.transaction([{ text: "update {outbox} set envelope = x'00'" }]);
    await opened.outbox.append(errorEnvelope(), "browser");
    const { outbox, service } = await startDispatcher({ open: () => opened });
    await service.waitFor((s) => s.envelopes[0]);
    await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0, setAside: 1 });
  });
});

describe.each(engines)("the dispatcher of an outbox in %s", (_, open) => {
  it("delivers what was there when it starts, errors first, in order of arrival", async () => {
    const opened = open();
    await opened.outbox.append(transactionEnvelope(), "browser");
    for (let n = 0; n < 100; n++) await opened.outbox.append(errorEnvelope(), "browser");
    const stored = await envelopesIn(opened.outbox);
    const [low, ...high] = stored.map(({ envelope }) => wholeEnvelope(envelope).header.event_id);
    const taken: unknown[] = [];
    const { service } = await startDispatcher({
      open: () => opened,
      resolve: async (envelope) => {
        taken.push(envelope.header.event_id);
        return envelope;
      },
    });
    await service.waitFor((s) => s.envelopes.length === 101);
    expect(taken).toEqual([...high, low]);
  });

  it("sends when it stops what it can, and lets another take over the rest at once", async () => {
    const opened = open();
    // Opening the store would use up the time in which a dispatcher that stops still claims.
    await statsOf(opened.outbox);
    const { outbox, service, dispatcher } = await startDispatcher({ open: () => opened });
    await service.behave({ slow: 5 });
    for (let n = 0; n < 30; n++) void outbox.append(errorEnvelope(), "browser");
    await dispatcher.stop(10_000);
    expect(service.envelopes).toHaveLength(30);
    expect(await statsOf(outbox)).toMatchObject({ waiting: 0 });
    await outbox.append(errorEnvelope(), "browser");
    expect(await claimAll(opened.another())).toHaveLength(1);
  });

  it("leaves behind when it stops what the service doesn't take in time", async () => {
    const opened = open();
    const { outbox, service, dispatcher } = await startDispatcher({ open: () => opened });
    await service.behave("hang");
    for (let n = 0; n < 3; n++) await outbox.append(errorEnvelope(), "browser");
    await service.waitFor((s) => s.attempts.length === 3);
    await dispatcher.stop(50);
    expect(await statsOf(outbox)).toMatchObject({ waiting: 3 });
    expect(await claimAll(opened.another())).toMatchObject([1, 2, 3].map(() => ({ attempts: 0 })));
  });
});

describe("stopping the dispatcher", () => {
  it("waits for no source: reports are sent as they are, without a warning", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on("warning", note);
    onTestFinished(() => void process.off("warning", note));
    const { resolve, asked } = endlessResolve();
    const { outbox, service, dispatcher } = await startDispatcher({ resolve });
    const ids = Array.from({ length: 16 }, eventId);
    for (const id of ids) await outbox.append(errorEnvelope(id), "browser");
    await expect.poll(asked).toBe(16);
    expect(service.attempts).toEqual([]);
    await dispatcher.stop(10_000);
    expect(idsOf(service.envelopes).sort()).toEqual([...ids].sort());
    expect(await envelopesIn(outbox)).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it("waits for what a slow service has in hand, and takes nothing more", async () => {
    const { outbox, service, dispatcher } = await startDispatcher();
    await service.behave({ slow: 2500 });
    for (let n = 0; n < 20; n++) await outbox.append(errorEnvelope(), "browser");
    await service.waitFor((s) => s.attempts.length === 16);
    await dispatcher.stop(10_000);
    expect([service.attempts.length, service.envelopes.length]).toEqual([16, 16]);
    expect(await claimAll(outbox)).toMatchObject(
      Array.from({ length: 4 }, () => ({ attempts: 0 })),
    );
  });

  it("takes nothing in hand where the time might not do for an answer", async () => {
    const { outbox, service, dispatcher } = await startDispatcher();
    for (let n = 0; n < 3; n++) void outbox.append(errorEnvelope(), "browser");
    await dispatcher.stop(1500);
    expect(service.attempts).toEqual([]);
    expect(await claimAll(outbox)).toHaveLength(3);
  });

  it("takes nothing more in hand once its claims have ended, until it stops", async () => {
    const { outbox, service, dispatcher, manyPolls } = await startDispatcher();
    dispatcher.stopClaiming(5000);
    for (let n = 0; n < 3; n++) await outbox.append(errorEnvelope(), "browser");
    await manyPolls();
    await dispatcher.stop(10_000);
    expect(service.attempts).toEqual([]);
    expect(await claimAll(outbox)).toHaveLength(3);
  });

  it("waits until what it delivered is removed", async () => {
    const { outbox, delays, dispatcher, manyPolls } = await startDispatcher();
    delays.hold("acknowledge");
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => delays.held("acknowledge")).toBe(1);
    const stopped = dispatcher.stop(10_000);
    await manyPolls();
    expect(delays.calls("release")).toBe(0);
    delays.pass("acknowledge");
    await stopped;
    expect(await statsOf(outbox)).toMatchObject({ waiting: 0 });
  });

  it("sends what was appended while a claim found nothing", async () => {
    const { outbox, service, delays, dispatcher } = await startDispatcher();
    delays.hold("claim");
    await expect.poll(() => delays.held("claim")).toBe(1);
    const claim = outbox.claim.bind(outbox);
    outbox.claim = async () => {
      outbox.claim = claim;
      return [];
    };
    await outbox.append(errorEnvelope(), "browser");
    const stopped = dispatcher.stop(10_000);
    await expect.poll(() => delays.calls("flush")).toBe(1);
    delays.pass("claim");
    await stopped;
    expect(service.envelopes).toHaveLength(1);
  });

  it("ends a claim that was on its way", async () => {
    const { outbox, service, delays, dispatcher, isClosed } = await startDispatcher();
    delays.hold("claim");
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => delays.held("claim")).toBe(1);
    const stopped = dispatcher.stop(0);
    await expect.poll(isClosed).toBe(true);
    delays.pass("claim");
    await stopped;
    expect(service.attempts).toEqual([]);
    expect(await claimAll(outbox)).toHaveLength(1);
  });

  it("takes its time and no more although a claim does not come", async () => {
    const { outbox, delays, dispatcher } = await startDispatcher();
    delays.hold("claim");
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => delays.held("claim")).toBe(1);
    await dispatcher.stop(0);
    expect(delays.calls("release")).toBe(1);
  });
});

describe("delivering now", () => {
  it("does not wait for the end of a pause", async () => {
    const { outbox, service, dispatcher, clock } = await startDispatcher();
    await service.behave({ answers: [500, 200] });
    await outbox.append(errorEnvelope(), "browser");
    await service.waitFor((s) => s.attempts.length === 1);
    await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 1 });
    const id = eventId();
    await outbox.append(errorEnvelope(id), "browser");
    const before = clock.now;
    await dispatcher.deliverNow(10_000);
    expect(idsOf(service.envelopes)).toEqual([id]);
    expect(clock.now).toBe(before);
  });
});
