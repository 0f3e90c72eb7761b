import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { categorySet } from "@/lib/envelope/categories";
import { ReportTable } from "@/lib/outbox/sqlite/report-table";
import { prepareSchema } from "@/lib/outbox/sqlite/schema";
import { generousBounds, openOutbox } from "@/tests/support/outboxes";
import {
  envelopeOf,
  errorEnvelope,
  eventId,
  transactionEnvelope,
} from "@/tests/support/sdk-envelopes";

const all = { after: 0, limit: 20_000 };
const next = { limit: 100, without: 0, failedLast: false };

describe("the outbox", () => {
  it("has a report on disk when append resolves", async () => {
    const { outbox, stored } = openOutbox();
    const envelope = errorEnvelope();
    await outbox.append(envelope, "browser");
    const [report] = stored();
    expect(report?.origin).toBe("browser");
    expect(Buffer.from(report?.envelope ?? []).equals(envelope)).toBe(true);
  });

  it("keeps the order of arrival", async () => {
    const { outbox } = openOutbox();
    const ids = Array.from({ length: 50 }, eventId);
    await Promise.all(ids.map((id) => outbox.append(errorEnvelope(id), "browser")));
    expect((await outbox.list(all)).map(({ envelope }) => idOf(envelope))).toEqual(ids);
  });

  it("lists what comes after an id", async () => {
    const { outbox } = openOutbox();
    for (let n = 0; n < 5; n++) await outbox.append(errorEnvelope(), "server");
    const ids = (await outbox.list(all)).map(({ id }) => id);
    expect((await outbox.oldestIds()).important).toBe(ids[0]);
    const some = await outbox.list({ after: ids[1] ?? 0, limit: 2 });
    expect(some.map(({ id }) => id)).toEqual([ids[2], ids[3]]);
  });

  it("puts what comes in together on disk together", async () => {
    const { outbox, stored } = openOutbox();
    await outbox.append(errorEnvelope(), "browser");
    const seen = new Set<number>();
    const watch = setInterval(() => seen.add(stored().length), 0);
    await Promise.all(Array.from({ length: 500 }, () => outbox.append(errorEnvelope(), "browser")));
    clearInterval(watch);
    expect(stored()).toHaveLength(501);
    expect(seen.size).toBeLessThan(20);
  });

  it("puts what is still in memory on disk before flush returns", () => {
    const { outbox, stored } = openOutbox();
    void outbox.append(errorEnvelope(), "server");
    void outbox.flush();
    expect(stored()).toHaveLength(1);
  });

  it("has settled all appends when flush resolves, also if another process blocks it", async () => {
    const { outbox, file, stored } = openOutbox();
    await outbox.append(errorEnvelope(), "server");
    const other = new Database(file);
    other.exec("BEGIN IMMEDIATE");
    void outbox.append(errorEnvelope(), "server");
    const flushed = outbox.flush();
    other.exec("COMMIT");
    other.close();
    await flushed;
    expect(stored()).toHaveLength(2);
  });

  it("flushes nothing when there is nothing to flush", async () => {
    const { outbox, file } = openOutbox();
    await outbox.flush();
    expect(existsSync(file)).toBe(false);
  });

  it("refuses what is no envelope", async () => {
    const { outbox } = openOutbox();
    await expect(outbox.append(Buffer.from("nonsense"), "server")).rejects.toMatchObject({
      name: "OutboxError",
      fault: "malformed",
    });
    expect(await outbox.stats()).toMatchObject({ writable: true, waiting: 0 });
  });

  it("never uses an id twice", async () => {
    const { outbox } = openOutbox();
    await outbox.append(errorEnvelope(), "browser");
    const [first] = await outbox.claim(next);
    await outbox.settle(first?.id ?? 0, "delivered");
    await outbox.append(errorEnvelope(), "browser");
    expect((await outbox.oldestIds()).important).toBeGreaterThan(
      first?.id ?? Number.POSITIVE_INFINITY,
    );
  });

  it("says how it is", async () => {
    const { outbox, clock } = openOutbox();
    expect(await outbox.stats()).toEqual({
      writable: true,
      reason: undefined,
      waiting: 0,
      importantWaiting: 0,
      oldestAge: undefined,
      oldestImportantAge: undefined,
      lastDelivery: undefined,
    });
    await outbox.append(transactionEnvelope(), "browser");
    clock.now += 500;
    await outbox.append(errorEnvelope(), "browser");
    clock.now += 1000;
    expect(await outbox.stats()).toMatchObject({
      waiting: 2,
      importantWaiting: 1,
      oldestAge: 1500,
      oldestImportantAge: 1000,
    });
    const [claimed] = await outbox.claim({ ...next, limit: 1 });
    await outbox.settle(claimed?.id ?? 0, "delivered");
    expect(await outbox.stats()).toMatchObject({ waiting: 1, lastDelivery: clock.now });
  });

  it("shows notes to all processes", async () => {
    const { outbox, file } = openOutbox();
    await outbox.setNote("limits", "some");
    await outbox.setNote("limits", "others");
    expect(await openOutbox({ file }).outbox.note("limits")).toBe("others");
    expect(await outbox.note("unknown")).toBeUndefined();
  });

  it("shows to all processes what was decided about groups of errors", async () => {
    const { outbox, file } = openOutbox();
    const { outbox: other } = openOutbox({ file });
    expect(await outbox.groupStates()).toEqual([]);
    await outbox.setGroupState("a", "resolved", 1_800_000_000_000);
    await outbox.setGroupState("b", "ignored", 2);
    await other.setGroupState("a", "ignored", 3);
    await other.setGroupState("never decided", "open", 4);
    expect(new Set(await outbox.groupStates())).toEqual(
      new Set([
        { group: "a", state: "ignored", since: 3 },
        { group: "b", state: "ignored", since: 2 },
      ]),
    );
    await outbox.setGroupState("a", "open", 5);
    expect(await other.groupStates()).toEqual([{ group: "b", state: "ignored", since: 2 }]);
  });

  it("takes over a file of the version before, which knew no decisions", async () => {
    const { outbox, file } = openOutbox();
    await outbox.append(errorEnvelope(), "browser");
    await outbox.close();
    const db = new Database(file);
    db.exec("DROP TABLE group_states");
    db.pragma("user_version = 1");
    db.close();
    const { outbox: later } = openOutbox({ file });
    await later.setGroupState("a", "resolved", 1);
    expect(await later.groupStates()).toHaveLength(1);
    expect(await later.list(all)).toHaveLength(1);
  });
});

describe("the outbox's bounds", () => {
  it("refuses what is too much while a service is to empty it", async () => {
    const bounds = { ...generousBounds, maxBytes: 200_000 };
    const { outbox } = openOutbox({ bounds });
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

  it("makes room for the newest in an inbox, by bytes", async () => {
    const bounds = { ...generousBounds, maxBytes: 200_000, whenFull: "drop-oldest" as const };
    const { outbox } = openOutbox({ bounds });
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
    const { outbox, lines } = openOutbox({ bounds });
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
    const { outbox, clock } = openOutbox({ bounds: { ...generousBounds, maxAgeMs: 1000 } });
    await outbox.append(errorEnvelope(), "browser");
    await outbox.append(
      envelopeOf({}, [{ type: "span", item_count: 3 }, "{}"], [{ type: "client_report" }, "{}"]),
      "browser",
    );
    const limited = (await outbox.claim(next))[1]?.categories ?? 0;
    clock.now += 1001;
    await outbox.append(errorEnvelope(), "browser");
    await outbox.expire(limited);
    expect(await outbox.stats()).toMatchObject({ waiting: 1, oldestAge: 0 });
    expect(await outbox.drops()).toEqual([
      { reason: "network_error", category: "error", quantity: 1 },
      { reason: "ratelimit_backoff", category: "span", quantity: 3 },
    ]);
  });

  it("reads no envelope to find out that nothing is too old", () => {
    const db = new Database(":memory:");
    onTestFinished(() => void db.close());
    prepareSchema(db);
    const table = new ReportTable(db, generousBounds);
    for (const receivedAt of [1, 2, 3]) {
      const categories = categorySet(["error"]);
      const envelope = errorEnvelope();
      table.append({
        receivedAt,
        origin: "browser",
        categories,
        clientAddress: undefined,
        envelope,
      });
    }
    const ages: number[] = [];
    const expire = (before: number) =>
      table.expire(before, ({ receivedAt }) => {
        ages.push(receivedAt);
        return "network_error";
      });
    const read: string[] = [];
    const { all, get } = Object.getPrototypeOf(db.prepare("SELECT 1"));
    for (const method of [all, get]) {
      vi.spyOn(Object.getPrototypeOf(db.prepare("SELECT 1")), method.name).mockImplementation(
        function (this: Database.Statement, ...args: unknown[]) {
          if (/\benvelope\b/.test(this.source)) read.push(this.source);
          return method.apply(this, args);
        },
      );
    }
    onTestFinished(() => void vi.restoreAllMocks());
    expect(expire(1)).toBeUndefined();
    expect(read).toEqual([]);
    expect(expire(3)).toHaveLength(2);
    expect(ages).toEqual([1, 2]);
    expect(read).toHaveLength(2);
  });

  it("is kept in order by the one process that may deliver", async () => {
    const bounds = { ...generousBounds, maxAgeMs: 1000 };
    const one = openOutbox({ bounds });
    await one.outbox.append(errorEnvelope(), "browser");
    await one.outbox.claim({ ...next, limit: 1 });
    const { outbox: other } = openOutbox({ bounds, file: one.file, clock: one.clock });
    one.clock.now += 1001;
    await other.expire(0);
    await other.reportDrops();
    expect(one.stored()).toHaveLength(1);
    await one.outbox.expire(0);
    expect(one.stored()).toEqual([]);
  });

  it("tells the service of each drop once, in a client report", async () => {
    const { outbox, clock } = openOutbox();
    const drop = async () => {
      await outbox.append(errorEnvelope(), "browser");
      const [claimed] = await outbox.claim({ ...next, limit: 1 });
      await outbox.settle(claimed?.id ?? 0, "send_error");
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
    await outbox.settle(report?.id ?? 0, "delivered");
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
