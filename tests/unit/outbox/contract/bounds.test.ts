import { describe, expect, it } from "vitest";
import type { OutboxEngine } from "@/lib/outbox/outbox";
import { engines, generousBounds } from "@/tests/support/outboxes";
import { envelopeOf, errorEnvelope, eventId } from "@/tests/support/sdk-envelopes";

const all = { after: 0, limit: 20_000 };
const next = { limit: 100, without: 0, failedLast: false };

describe.each(engines)("the bounds of the outbox in %s", (_, open) => {
  it("refuses what is too much while a service is to empty it", async () => {
    const bounds = { ...generousBounds, maxBytes: 200_000 };
    const { outbox } = open({ bounds });
    const large = envelopeOf({}, [{ type: "attachment" }, Buffer.alloc(50_000)]);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => outbox.append(large, "browser")),
    );
    const kept = outcomes.filter(({ status }) => status === "fulfilled").length;
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(4);
    for (const outcome of outcomes.slice(kept)) {
      expect(outcome).toMatchObject({ reason: { name: "OutboxError", fault: "full" } });
    }
    expect(await outbox.stats()).toMatchObject({ waiting: kept, writable: true });
    expect(await outbox.drops()).toEqual([]);
  });

  it("holds no more than a report for each kilobyte, however small they are", async () => {
    const tiny = Buffer.from('{}\n{"type":"event"}\n{}');
    const bounds = { ...generousBounds, maxBytes: 200_000 };
    const maxReports = Math.floor(bounds.maxBytes / (1024 + tiny.length));
    const appends = (outbox: OutboxEngine) =>
      Promise.allSettled(Array.from({ length: 300 }, () => outbox.append(tiny, "browser")));
    const { outbox } = open({ bounds });
    const outcomes = await appends(outbox);
    const refused = outcomes.filter(({ status }) => status === "rejected");
    expect(refused).toHaveLength(300 - maxReports);
    expect(refused[0]).toMatchObject({ reason: { fault: "full" } });
    expect(await outbox.stats()).toMatchObject({ waiting: maxReports });

    const { outbox: inbox } = open({ bounds: { ...bounds, whenFull: "drop-oldest" } });
    await appends(inbox);
    const kept = await inbox.list(all);
    expect(kept).toHaveLength(maxReports);
    // A large one takes the place of as many as its bytes count.
    await inbox.append(errorEnvelope(undefined, "x".repeat(50_000)), "browser");
    const left = (await inbox.list(all)).map(({ id }) => id);
    expect(left).toHaveLength(maxReports - 49 + 1);
    expect(left.slice(0, -1)).toEqual(kept.slice(49).map(({ id }) => id));
    expect(await inbox.drops()).toMatchObject([{ quantity: 300 - maxReports + 49 }]);
  });

  it("is counted right, whoever adds, removes and drops", async () => {
    const bounds = { ...generousBounds, maxReports: 30, whenFull: "drop-oldest" as const };
    const { outbox, another } = open({ bounds });
    const other = another();
    const span = envelopeOf({}, [{ type: "span" }, "{}"]);
    const expectWaiting = async (waiting: number, highWaiting: number) => {
      const stats = await Promise.all([outbox.stats(), other.stats()]);
      expect(stats).toMatchObject(Array(2).fill({ waiting, highWaiting }));
    };
    for (let n = 0; n < 10; n++) await (n % 2 ? outbox : other).append(errorEnvelope(), "browser");
    await expectWaiting(10, 10);
    for (let n = 0; n < 10; n++) await (n % 2 ? outbox : other).append(span, "browser");
    await expectWaiting(20, 10);
    const [first, second] = await outbox.claim({ ...next, limit: 2 });
    await outbox.ack(first?.id ?? 0, "delivered");
    await outbox.ack(second?.id ?? 0, "send_error");
    await expectWaiting(18, 8);
    for (let n = 0; n < 20; n++) await other.append(errorEnvelope(), "browser");
    await expectWaiting(30, 28);
  });

  it("makes room for the newest in an inbox, by bytes", async () => {
    const bounds = { ...generousBounds, maxBytes: 200_000, whenFull: "drop-oldest" as const };
    const { outbox } = open({ bounds });
    const ids = Array.from({ length: 8 }, eventId);
    for (const event_id of ids) {
      const large = envelopeOf({ event_id }, [{ type: "attachment" }, Buffer.alloc(50_000)]);
      await outbox.append(large, "browser");
    }
    const kept = (await outbox.list(all)).map(({ envelope }) => idOf(envelope));
    expect(kept.length).toBeGreaterThan(0);
    expect(kept).toEqual(ids.slice(-kept.length));
    expect(await outbox.drops()).toEqual([
      { reason: "cache_overflow", category: "attachment", quantity: 8 - kept.length },
    ]);
  });

  it("keeps the newest of an inbox, by number", async () => {
    const bounds = { ...generousBounds, maxReports: 10, whenFull: "drop-oldest" as const };
    const { outbox, lines } = open({ bounds });
    const ids = Array.from({ length: 25 }, eventId);
    for (const id of ids) await outbox.append(errorEnvelope(id), "browser");
    expect((await outbox.list(all)).map(({ envelope }) => idOf(envelope))).toEqual(ids.slice(-10));
    expect(await outbox.drops()).toEqual([
      { reason: "cache_overflow", category: "error", quantity: 15 },
    ]);
    expect(lines).toContainEqual({
      level: "warn",
      event: "reports dropped",
      fields: { reason: "cache_overflow", category: "error", quantity: 1 },
    });
  });

  it("gives up what is too old, and says by what fault", async () => {
    const { outbox, clock } = open({ bounds: { ...generousBounds, maxAgeMs: 1000 } });
    await outbox.append(errorEnvelope(), "browser");
    await outbox.append(
      envelopeOf({}, [{ type: "span", item_count: 3 }, "{}"], [{ type: "client_report" }, "{}"]),
      "browser",
    );
    const limited = (await outbox.claim(next))[1]?.categories ?? 0;
    await outbox.release();
    clock.now += 1001;
    await outbox.append(errorEnvelope(), "browser");
    await outbox.expire(limited);
    expect(await outbox.stats()).toMatchObject({ waiting: 1, oldestAge: 0 });
    expect(await outbox.drops()).toEqual([
      { reason: "network_error", category: "error", quantity: 1 },
      { reason: "ratelimit_backoff", category: "span", quantity: 3 },
    ]);
  });

  it("tells the service of each drop once, in a client report", async () => {
    const { outbox, clock } = open();
    const drop = async () => {
      await outbox.append(errorEnvelope(), "browser");
      const [claimed] = await outbox.claim({ ...next, limit: 1 });
      await outbox.ack(claimed?.id ?? 0, "send_error");
      await outbox.reportDrops();
    };
    await drop();
    const [report] = await outbox.claim(next);
    const [, itemHeader = "", payload = ""] = Buffer.from(report?.envelope ?? [])
      .toString()
      .split("\n");
    expect(JSON.parse(itemHeader).type).toBe("client_report");
    expect(JSON.parse(payload)).toEqual({
      timestamp: new Date(clock.now).toISOString(),
      discarded_events: [{ reason: "send_error", category: "error", quantity: 1 }],
    });
    await outbox.ack(report?.id ?? 0, "delivered");
    await outbox.reportDrops();
    expect((await outbox.stats()).waiting).toBe(0);
    await drop();
    const [again] = await outbox.claim(next);
    expect(Buffer.from(again?.envelope ?? []).toString()).toContain('"quantity":1');
  });
});

function idOf(envelope: Uint8Array): unknown {
  const text = Buffer.from(envelope).toString();
  return JSON.parse(text.slice(0, text.indexOf("\n"))).event_id;
}
