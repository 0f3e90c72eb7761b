import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { engines } from "@/tests/support/outboxes";
import {
  envelopeOf,
  errorEnvelope,
  eventId,
  transactionEnvelope,
} from "@/tests/support/sdk-envelopes";

const all = { after: 0, limit: 20_000 };
const next = { limit: 100, without: 0, failedLast: false };

describe.each(engines)("the outbox in %s", (_, open) => {
  it("shows a report to other processes when append resolves", async () => {
    const { outbox, another, clock } = open();
    const envelope = errorEnvelope();
    await outbox.append(envelope, "browser", { clientAddress: "192.0.2.1" });
    const [report] = await another().list(all);
    expect(report).toMatchObject({ origin: "browser", receivedAt: clock.now });
    expect(Buffer.from(report?.envelope ?? []).equals(envelope)).toBe(true);
    const [claimed] = await outbox.claim(next);
    expect(claimed).toMatchObject({ id: report?.id, clientAddress: "192.0.2.1", failures: 0 });
    expect(Buffer.from(claimed?.envelope ?? []).equals(envelope)).toBe(true);
  });

  it("keeps any bytes, of any number of reports stored together", async () => {
    const { outbox } = open();
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
    const envelopes = [0, 1, 255, 5000].map((length) =>
      envelopeOf({}, [{ type: "attachment", length }, Buffer.alloc(length, bytes)]),
    );
    await Promise.all(envelopes.map((envelope) => outbox.append(envelope, "server")));
    const stored = await outbox.list(all);
    expect(stored.map(({ envelope }) => Buffer.from(envelope))).toEqual(envelopes);
    const claimed = await outbox.claim({ ...next, limit: envelopes.length });
    expect(claimed.map(({ envelope }) => Buffer.from(envelope))).toEqual(envelopes);
  });

  it("keeps the order of arrival", async () => {
    const { outbox } = open();
    const ids = Array.from({ length: 50 }, eventId);
    await Promise.all(ids.map((id) => outbox.append(errorEnvelope(id), "browser")));
    expect((await outbox.list(all)).map(({ envelope }) => idOf(envelope))).toEqual(ids);
  });

  it("lists what comes after an id", async () => {
    const { outbox } = open();
    for (let n = 0; n < 5; n++) await outbox.append(errorEnvelope(), "server");
    const ids = (await outbox.list(all)).map(({ id }) => id);
    expect(ids).toHaveLength(5);
    const some = await outbox.list({ after: ids[1] ?? 0, limit: 2 });
    expect(some.map(({ id }) => id)).toEqual([ids[2], ids[3]]);
  });

  it("shows no report to a reader before all with a smaller id, whoever stores them", async () => {
    const { outbox, another } = open();
    const stores = [outbox, another(), another()];
    const appends = Promise.all(
      Array.from({ length: 300 }, (_, n) => stores[n % 3]?.append(errorEnvelope(), "browser")),
    );
    let done = false;
    void appends.then(() => {
      done = true;
    });
    const reader = another();
    const seen: number[] = [];
    for (let last = false; !last; ) {
      last = done;
      const found = await reader.list({ after: seen.at(-1) ?? 0, limit: 1000 });
      seen.push(...found.map(({ id }) => id));
      await turn();
    }
    expect(seen).toEqual((await outbox.list(all)).map(({ id }) => id));
    expect(seen).toHaveLength(300);
  });

  it("has settled all appends when flush resolves", async () => {
    const { outbox, another } = open();
    for (let n = 0; n < 3; n++) void outbox.append(errorEnvelope(), "server");
    await outbox.flush();
    expect(await another().list(all)).toHaveLength(3);
  });

  it("refuses what is no envelope", async () => {
    const { outbox } = open();
    await expect(outbox.append(Buffer.from("nonsense"), "server")).rejects.toMatchObject({
      name: "OutboxError",
      fault: "malformed",
    });
    expect(await outbox.stats()).toMatchObject({ writable: true, waiting: 0 });
  });

  it("never uses an id twice", async () => {
    const { outbox } = open();
    await outbox.append(errorEnvelope(), "browser");
    const [first] = await outbox.claim(next);
    await outbox.ack(first?.id ?? 0, "delivered");
    await outbox.append(errorEnvelope(), "browser");
    expect((await outbox.list(all))[0]?.id).toBeGreaterThan(first?.id ?? Number.POSITIVE_INFINITY);
  });

  it("says how it is", async () => {
    const { outbox, clock } = open();
    expect(await outbox.stats()).toEqual({
      writable: true,
      reason: undefined,
      waiting: 0,
      highWaiting: 0,
      oldestAge: undefined,
      oldestHighAge: undefined,
      lastDelivery: undefined,
      setAside: 0,
    });
    await outbox.append(transactionEnvelope(), "browser");
    clock.now += 500;
    await outbox.append(errorEnvelope(), "browser");
    clock.now += 1000;
    expect(await outbox.stats()).toMatchObject({
      waiting: 2,
      highWaiting: 1,
      oldestAge: 1500,
      oldestHighAge: 1000,
    });
    const [claimed] = await outbox.claim({ ...next, limit: 1 });
    await outbox.ack(claimed?.id ?? 0, "delivered");
    expect(await outbox.stats()).toMatchObject({ waiting: 1, lastDelivery: clock.now });
  });

  it("shows notes to all processes", async () => {
    const { outbox, another } = open();
    await outbox.setNote("limits", "some");
    await outbox.setNote("limits", "others");
    expect(await another().note("limits")).toBe("others");
    expect(await outbox.note("unknown")).toBeUndefined();
  });
});

function idOf(envelope: Uint8Array): unknown {
  const text = Buffer.from(envelope).toString();
  return JSON.parse(text.slice(0, text.indexOf("\n"))).event_id;
}
