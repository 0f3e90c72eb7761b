import { describe, expect, it } from "vitest";
import { categorySet } from "@/lib/envelope/categories";
import type { OutboxEngine } from "@/lib/outbox/outbox";
import { engines, generousBounds } from "@/tests/support/outboxes";
import { envelopeOf, errorEnvelope, transactionEnvelope } from "@/tests/support/sdk-envelopes";

const next = { limit: 20_000, without: 0, failedLast: false };
const keepsNewest = { ...generousBounds, whenFull: "drop-oldest" as const };

/** Which reports are in the outbox, in the order in which they are delivered. */
async function typesIn(outbox: OutboxEngine): Promise<string[]> {
  const reports = await outbox.claim(next);
  await outbox.release();
  return reports.map(({ envelope }) => {
    const [, item = ""] = Buffer.from(envelope).toString().split("\n");
    return JSON.parse(item).type;
  });
}

const session = () => envelopeOf({}, [{ type: "session" }, "{}"]);
const feedback = () => envelopeOf({}, [{ type: "feedback" }, "{}"]);

async function outcomes(appends: Promise<void>[]): Promise<{ stored: number; full: number }> {
  const settled = await Promise.allSettled(appends);
  const full = settled.filter((one) => one.status === "rejected" && one.reason.fault === "full");
  return {
    stored: settled.filter(({ status }) => status === "fulfilled").length,
    full: full.length,
  };
}

describe.each(engines)("errors and feedback in %s", (_, open) => {
  it("are delivered before everything else, each in order of arrival", async () => {
    const { outbox } = open();
    for (const envelope of [session(), errorEnvelope(), transactionEnvelope(), feedback()]) {
      await outbox.append(envelope, "browser");
    }
    expect(await typesIn(outbox)).toEqual(["event", "feedback", "session", "transaction"]);
  });

  it("are delivered first after the service has failed, too", async () => {
    const { outbox, clock } = open();
    await outbox.append(transactionEnvelope(), "browser");
    await outbox.append(errorEnvelope(), "browser");
    const claimed = await outbox.claim(next);
    for (const { id } of claimed.reverse()) await outbox.requeue(id, 1000);
    await outbox.append(session(), "browser");
    await outbox.append(feedback(), "browser");
    clock.now += 1000;
    expect((await outbox.claim(next)).map(({ categories }) => categories)).toEqual(
      ["error", "feedback", "transaction", "session"].map((name) => categorySet([name])),
    );
  });

  it("find room in an outbox that measurements have filled while the service is dead", async () => {
    const bounds = { ...generousBounds, maxBytes: 1024 * 1024 };
    const { outbox } = open({ bounds });
    const fill = await outcomes(
      Array.from({ length: 500 }, () => outbox.append(transactionEnvelope("", 3000), "browser")),
    );
    expect(fill.full).toBeGreaterThan(0);
    expect(fill.stored + fill.full).toBe(500);
    const errors = Array.from({ length: 100 }, () => outbox.append(errorEnvelope(), "browser"));
    expect(await outcomes(errors)).toEqual({ stored: 100, full: 0 });
    const types = await typesIn(outbox);
    expect(types.slice(0, 100)).toEqual(Array(100).fill("event"));
    expect(types[100]).toBe("transaction");
    // The oldest have made room, and are counted.
    expect(await outbox.drops()).toEqual([
      {
        reason: "cache_overflow",
        category: "transaction",
        quantity: fill.stored + 100 - types.length,
      },
    ]);
  });

  it("are refused only when nothing else is left", async () => {
    const bounds = { ...generousBounds, maxBytes: 300_000 };
    const { outbox } = open({ bounds });
    for (let n = 0; n < 20; n++) await outbox.append(transactionEnvelope("", 6000), "browser");
    const large = "x".repeat(6000);
    const errors = await outcomes(
      Array.from({ length: 100 }, () => outbox.append(errorEnvelope(undefined, large), "browser")),
    );
    expect(errors.full).toBeGreaterThan(0);
    expect(await typesIn(outbox)).toEqual(Array(errors.stored).fill("event"));
  });

  it("stay in a full inbox, by bytes, and no measurement takes their place", async () => {
    const { outbox } = open({ bounds: { ...keepsNewest, maxBytes: 200_000 } });
    const large = "x".repeat(50_000);
    const append = async (...envelopes: Buffer[]) => {
      for (const envelope of envelopes) await outbox.append(envelope, "browser");
    };
    await append(errorEnvelope(undefined, large), transactionEnvelope("", 50_000));
    await append(errorEnvelope(undefined, large), errorEnvelope(undefined, large));
    expect(await typesIn(outbox)).toEqual(["event", "event", "event"]);
    await append(transactionEnvelope("", 50_000));
    expect(await typesIn(outbox)).toEqual(["event", "event", "event"]);
    await append(errorEnvelope(undefined, large));
    expect(await typesIn(outbox)).toEqual(["event", "event", "event"]);
    expect(await outbox.drops()).toEqual([
      { reason: "cache_overflow", category: "error", quantity: 1 },
      { reason: "cache_overflow", category: "transaction", quantity: 2 },
    ]);
  });

  it("stay in a full inbox, by number, and no measurement takes their place", async () => {
    const { outbox } = open({ bounds: { ...keepsNewest, maxReports: 10 } });
    for (let n = 0; n < 8; n++) await outbox.append(errorEnvelope(), "browser");
    for (let n = 0; n < 20; n++) await outbox.append(transactionEnvelope(), "browser");
    expect(await outbox.stats()).toMatchObject({ waiting: 10, highWaiting: 8 });
    for (let n = 0; n < 4; n++) await outbox.append(errorEnvelope(), "browser");
    await outbox.append(transactionEnvelope(), "browser");
    expect(await outbox.stats()).toMatchObject({ waiting: 10, highWaiting: 10 });
    expect(await outbox.drops()).toEqual([
      { reason: "cache_overflow", category: "error", quantity: 2 },
      { reason: "cache_overflow", category: "transaction", quantity: 21 },
    ]);
  });

  it("are written while measurements fill the memory of what is to be written", async () => {
    const { outbox } = open();
    await outbox.append(errorEnvelope(), "browser");
    const megabyte = 1024 * 1024;
    const measurements = Array.from({ length: 33 }, () =>
      outbox.append(transactionEnvelope("", megabyte), "browser"),
    );
    const error = outbox.append(errorEnvelope(), "browser");
    const refused = (await Promise.allSettled(measurements)).filter(
      ({ status }) => status === "rejected",
    );
    await expect(error).resolves.toBeUndefined();
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({ reason: { fault: "busy" } });
  });
});

describe.each(engines)("what the service has limited for long, in %s", (_, open) => {
  const transactions = categorySet(["transaction", "span"]);

  it("is dropped where it lies, and counted; errors, feedback and the rest stay", async () => {
    const { outbox } = open();
    for (let n = 0; n < 450; n++) void outbox.append(transactionEnvelope(), "browser");
    const mixed = envelopeOf({}, [{ type: "event" }, "{}"], [{ type: "transaction" }, "{}"]);
    for (const envelope of [errorEnvelope(), mixed, session()]) {
      await outbox.append(envelope, "browser");
    }
    const clientReport = envelopeOf({}, [{ type: "client_report" }, "{}"]);
    await outbox.append(clientReport, "browser");
    await outbox.dropUnwanted(transactions);
    expect(await typesIn(outbox)).toEqual(["event", "event", "session", "client_report"]);
    expect(await outbox.drops()).toEqual([
      { reason: "ratelimit_backoff", category: "transaction", quantity: 450 },
    ]);
  });

  it("is dropped also where it takes more memory than is read at once", async () => {
    const { outbox } = open();
    const megabyte = 1024 * 1024;
    for (let n = 0; n < 12; n++) await outbox.append(transactionEnvelope("", megabyte), "browser");
    await outbox.append(errorEnvelope(), "browser");
    await outbox.dropUnwanted(transactions);
    expect(await typesIn(outbox)).toEqual(["event"]);
    expect(await outbox.drops()).toEqual([
      { reason: "ratelimit_backoff", category: "transaction", quantity: 12 },
    ]);
  });

  it("is dropped when it arrives, and counted", async () => {
    const { outbox } = open({ limited: () => transactions });
    await outbox.append(transactionEnvelope(), "server");
    await outbox.append(errorEnvelope(), "server");
    expect(await typesIn(outbox)).toEqual(["event"]);
    expect(await outbox.drops()).toEqual([
      { reason: "ratelimit_backoff", category: "transaction", quantity: 1 },
    ]);
  });
});

describe.each(engines)("several processes with one outbox in %s", (_, open) => {
  it("keep the bound by number together", async () => {
    const bounds = { ...keepsNewest, maxReports: 10 };
    const one = open({ bounds });
    const two = one.another();
    for (let n = 0; n < 15; n++) {
      await one.outbox.append(errorEnvelope(), "browser");
      await two.append(errorEnvelope(), "browser");
      expect((await one.outbox.stats()).waiting).toBe(Math.min(2 * n + 2, 10));
    }
    expect(await two.list({ after: 0, limit: 100 })).toHaveLength(10);
  });
});
