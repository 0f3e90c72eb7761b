import { describe, expect, it, vi } from "vitest";
import { sizeOf } from "@/packages/relay/src/outbox/capacity";
import { OutboxError } from "@/packages/relay/src/outbox/driver";
import { Stats } from "@/packages/relay/src/outbox/stats";
import {
  claimAll,
  engines,
  envelopesIn,
  housekeepingOf,
  statsOf,
  taken,
} from "@/tests/support/outboxes";
import {
  envelopeOf,
  errorEnvelope,
  eventId,
  transactionEnvelope,
} from "@/tests/support/sdk-envelopes";

describe.each(engines)("the outbox in %s", (_, open) => {
  it("shows a report to other processes when append resolves", async () => {
    const { outbox, another, clock } = open();
    const envelope = errorEnvelope();
    await outbox.append(envelope, "browser", { clientAddress: "192.0.2.1" });
    const [claimed] = await another().claim({ limit: 1, without: 0 });
    expect(claimed).toMatchObject({
      origin: "browser",
      receivedAt: clock.now,
      clientAddress: "192.0.2.1",
      attempts: 0,
    });
    expect(Buffer.from(claimed?.envelope ?? []).equals(envelope)).toBe(true);
  });

  it("keeps any bytes, of any number of reports stored together, in the order of arrival", async () => {
    const { outbox } = open();
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
    const envelopes = Array.from({ length: 600 }, (_, n) =>
      envelopeOf({}, [{ type: "attachment", length: n }, Buffer.alloc(n, bytes)]),
    );
    await Promise.all(envelopes.map((envelope) => outbox.append(envelope, "server")));
    const stored = await envelopesIn(outbox);
    expect(stored.map(({ envelope }) => Buffer.from(envelope))).toEqual(envelopes);
    const claimed = await outbox.claim({ limit: 1000, without: 0 });
    expect(claimed.map(({ envelope }) => Buffer.from(envelope))).toEqual(envelopes);
  });

  it("has settled all appends when flush resolves", async () => {
    const { outbox, another } = open();
    for (let n = 0; n < 3; n++) void outbox.append(errorEnvelope(), "server");
    await outbox.flush();
    expect(await claimAll(another())).toHaveLength(3);
  });

  it("has handed over all that was appended when the process ends, at any moment of the first", async () => {
    const { outbox, another } = open();
    void outbox.append(errorEnvelope(), "server");
    // While it finds out how much room there is.
    await new Promise((resolve) => setImmediate(resolve));
    void outbox.append(errorEnvelope(), "server");
    await outbox.flushNow();
    expect(await claimAll(another())).toHaveLength(2);
  });

  it("refuses what is no envelope", async () => {
    const { outbox } = open();
    await expect(outbox.append(Buffer.from("nonsense"), "server")).rejects.toMatchObject({
      name: "OutboxError",
      fault: "malformed",
    });
    expect(await statsOf(outbox)).toMatchObject({ writable: true, waiting: 0 });
  });

  it("never uses an id twice, nor one that an earlier version has used", async () => {
    const { outbox } = open();
    await outbox.append(errorEnvelope(), "browser");
    const [first] = await claimAll(outbox);
    if (first) await outbox.acknowledge(first, taken);
    await outbox.append(errorEnvelope(), "browser");
    const [second] = await claimAll(outbox);
    expect(second?.id).toBeGreaterThan(first?.id ?? Number.POSITIVE_INFINITY);
    expect(first?.id).toBeGreaterThan(Date.UTC(2026, 0, 1) * 1000);
  });

  it("says how it is", async () => {
    const { outbox, clock } = open();
    expect(await statsOf(outbox)).toEqual({
      writable: true,
      reason: undefined,
      waiting: 0,
      highWaiting: 0,
      bytes: 0,
      oldestAge: undefined,
      oldestHighAge: undefined,
      lastDelivery: undefined,
      setAside: 0,
      damagedFiles: 0,
    });
    await outbox.append(transactionEnvelope(), "browser");
    clock.now += 500;
    await outbox.append(errorEnvelope(), "browser");
    clock.now += 1000;
    expect(await statsOf(outbox)).toMatchObject({
      waiting: 2,
      highWaiting: 1,
      bytes: sizeOf(transactionEnvelope()) + sizeOf(errorEnvelope()),
      oldestAge: 1500,
      oldestHighAge: 1000,
    });
    const [claimed] = await outbox.claim({ limit: 1, without: 0 });
    if (claimed) await outbox.acknowledge(claimed, taken);
    expect(await statsOf(outbox)).toMatchObject({ waiting: 1, lastDelivery: clock.now });
    expect(outbox.acknowledged).toEqual({ taken: 1, dropped: 0, later: 0, back: 0 });
  });

  it("says what was dropped since the store was made, also what was told of", async () => {
    const { outbox } = open();
    const reason = "cache_overflow" as const;
    await outbox.countDrops([{ reason, category: "error", quantity: 2 }]);
    await housekeepingOf(outbox).reportDrops(false);
    await outbox.countDrops([{ reason, category: "error", quantity: 3 }]);
    expect(await new Stats(outbox, () => {}).drops()).toEqual([
      { reason, category: "error", quantity: 5 },
    ]);
  });

  it("says when it last delivered, also where that was tried twice", async () => {
    const { outbox, driver, clock } = open();
    await outbox.append(errorEnvelope(), "browser");
    const [report] = await claimAll(outbox);
    if (!report) throw new Error("Expected a report.");
    vi.spyOn(driver, "transaction").mockRejectedValueOnce(new OutboxError("busy", "Not now."));
    await expect(outbox.acknowledge(report, taken)).rejects.toThrow("Not now.");
    await outbox.acknowledge(report, taken);
    expect(await statsOf(outbox)).toMatchObject({ waiting: 0, lastDelivery: clock.now });
  });

  it("does not say how many wait while that can't be read", async () => {
    const { outbox, run } = open();
    await outbox.append(errorEnvelope(), "browser");
    await run((table) => `alter table ${table("outbox")} rename to aside`);
    expect(await statsOf(outbox)).toMatchObject({
      writable: false,
      waiting: undefined,
      highWaiting: undefined,
      oldestAge: undefined,
    });
  });

  it("can be written where counting what waits takes a database too long", async () => {
    const { outbox, driver, lines } = open();
    const { transaction } = driver;
    driver.transaction = (statements, stays) =>
      statements.some(({ text }) => text.includes("count(*)"))
        ? Promise.reject(new OutboxError("busy", "The database takes too long."))
        : transaction.call(driver, statements, stays);
    const unread = { writable: true, reason: undefined, waiting: undefined, oldestAge: undefined };
    for (let n = 0; n < 2; n++) expect(await statsOf(outbox)).toMatchObject(unread);
    expect(lines).toMatchObject([{ level: "warn", event: "outbox can't be read" }]);
  });

  it("tells a process of each report that it has appended", async () => {
    const { outbox } = open();
    let appended = 0;
    outbox.onAppend = () => appended++;
    const ids = [eventId(), eventId()];
    await Promise.all(ids.map((id) => outbox.append(errorEnvelope(id), "browser")));
    expect(appended).toBe(2);
  });
});
