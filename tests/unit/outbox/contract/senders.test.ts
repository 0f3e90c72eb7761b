import { describe, expect, it } from "vitest";
import type { Origin, OutboxEngine } from "@/lib/outbox/outbox";
import { engines, generousBounds } from "@/tests/support/outboxes";
import { errorEnvelope, transactionEnvelope } from "@/tests/support/sdk-envelopes";

const next = { limit: 20_000, without: 0, failedLast: false };
const large = "x".repeat(10_000);

const inTransit = { ...generousBounds, maxBytes: 1024 * 1024, whenFull: "refuse" as const };
const inInbox = { ...inTransit, whenFull: "drop-oldest" as const };
const byNumber = { ...generousBounds, maxReports: 100, whenFull: "drop-oldest" as const };

/** Appends errors that name who sent them. @returns how many were stored */
async function send(
  outbox: OutboxEngine,
  count: number,
  sender: string,
  { origin = "browser" as Origin, filling = large, of = errorEnvelope } = {},
): Promise<number> {
  const outcomes = await Promise.allSettled(
    Array.from({ length: count }, () =>
      outbox.append(of(undefined, `from ${sender}. ${filling}`), origin, {
        ...(origin === "browser" && { sender }),
      }),
    ),
  );
  return outcomes.filter(({ status }) => status === "fulfilled").length;
}

const measurement = (_?: string, text?: string) => transactionEnvelope(text);

/** How many reports of a sender are in the outbox. */
async function countOf(outbox: OutboxEngine, sender: string): Promise<number> {
  const reports = await outbox.claim(next);
  await outbox.release();
  return reports.filter(({ envelope }) => Buffer.from(envelope).includes(`from ${sender}.`)).length;
}

describe.each(engines)("a sender that fills the outbox in %s", (_, open) => {
  it.each([
    ["an inbox, by bytes", inInbox],
    ["an inbox, by number", byNumber],
    ["an outbox whose service is down", inTransit],
  ])("makes room first, in %s", async (_, bounds) => {
    const { outbox } = open({ bounds });
    await send(outbox, 5, "early");
    await send(outbox, 300, "flooder");
    expect(await send(outbox, 5, "late")).toBe(5);
    await send(outbox, 300, "flooder");
    expect(await countOf(outbox, "early")).toBe(5);
    expect(await countOf(outbox, "late")).toBe(5);
    expect(await countOf(outbox, "flooder")).toBeGreaterThan(50);
  });

  it("makes room also where it sends from many places of few bytes and one of many", async () => {
    const { outbox } = open({ bounds: inInbox });
    for (let n = 0; n < 20; n++) await send(outbox, 1, `honest-${n}`);
    await send(outbox, 200, "flooder");
    for (let n = 0; n < 20; n++) expect(await countOf(outbox, `honest-${n}`)).toBe(1);
  });

  it("does not push its errors out for anybody's measurements", async () => {
    const { outbox } = open({ bounds: inInbox });
    await send(outbox, 200, "flooder");
    const before = await countOf(outbox, "flooder");
    await send(outbox, 5, "visitor", { of: measurement });
    expect(await countOf(outbox, "flooder")).toBe(before);
  });

  it("gets no room for its measurements from those of others", async () => {
    const { outbox } = open({ bounds: byNumber });
    await send(outbox, 4, "visitor", { of: measurement, filling: "" });
    await send(outbox, 300, "flooder", { of: measurement, filling: "" });
    expect(await countOf(outbox, "visitor")).toBe(4);
  });

  it("is found where the outbox was full of others before", async () => {
    const { outbox } = open({ bounds: { ...inTransit, maxBytes: 2 * inTransit.maxBytes } });
    const many = async (count: number, name: string) => {
      let stored = 0;
      for (let n = 0; n < count; n++) stored += await send(outbox, 1, `${name}-${n}`);
      return stored;
    };
    expect(await many(300, "first")).toBeLessThan(300);
    const delivered = await outbox.claim({ ...next, limit: 20 });
    for (const { id } of delivered) await outbox.ack(id, "delivered");
    await send(outbox, 100, "flooder");
    expect(await many(5, "late")).toBe(5);
  });

  it("is refused where a service is to empty the outbox, and nothing of it that waits is lost", async () => {
    const { outbox } = open({ bounds: inTransit });
    const stored = await send(outbox, 300, "flooder");
    expect(stored).toBeLessThan(300);
    expect(await countOf(outbox, "flooder")).toBe(stored);
  });
});

describe.each(engines)("the server's own errors in %s", (_, open) => {
  const fromMany = async (outbox: OutboxEngine, count: number) => {
    for (let n = 0; n < count; n++) await send(outbox, 1, `visitor-${n}`);
  };

  it.each([
    ["an inbox, by bytes", inInbox],
    ["an inbox, by number", byNumber],
  ])("have a share that no browser can take, in %s", async (_, bounds) => {
    const { outbox } = open({ bounds });
    await send(outbox, 10, "server", { origin: "server" });
    await fromMany(outbox, 200);
    expect(await countOf(outbox, "server")).toBe(10);
  });

  it("find room among those of many browsers that wait for a service", async () => {
    const { outbox } = open({ bounds: inTransit });
    await fromMany(outbox, 200);
    expect(await send(outbox, 10, "server", { origin: "server" })).toBe(10);
    expect(await countOf(outbox, "server")).toBe(10);
  });

  it("take no more than their share from browsers", async () => {
    const { outbox } = open({ bounds: byNumber });
    await fromMany(outbox, 100);
    await send(outbox, 300, "server", { origin: "server", filling: "" });
    const kept = await countOf(outbox, "server");
    expect(kept).toBeGreaterThanOrEqual(25);
    expect(kept).toBeLessThan(40);
  });
});
