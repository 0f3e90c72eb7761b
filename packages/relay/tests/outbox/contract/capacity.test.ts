import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { categorySet } from "@/packages/relay/src/envelope/categories";
import type { Log } from "@/packages/relay/src/log";
import { sizeOf } from "@/packages/relay/src/outbox/capacity";
import type { Outbox } from "@/packages/relay/src/outbox/outbox";
import type { Origin } from "@/packages/relay/src/outbox/reports";
import * as support from "@/tests/support/outboxes";
import { envelopeOf, errorEnvelope, transactionEnvelope } from "@/tests/support/sdk-envelopes";

const { claimAll, dropsIn, engines, envelopesIn, taken } = support;
const megabyte = 1024 * 1024;
const day = 24 * 60 * 60 * 1000;
const session = () => envelopeOf({}, [{ type: "session" }, "{}"]);
const attachment = (bytes: number) =>
  envelopeOf({}, [{ type: "event" }, "{}"], [{ type: "attachment" }, Buffer.alloc(bytes, "x")]);
const feedback = () => envelopeOf({}, [{ type: "feedback" }, "{}"]);

/** Which reports are in the outbox, in the order in which they are delivered. */
async function typesIn(outbox: Outbox): Promise<string[]> {
  const reports = await claimAll(outbox);
  await outbox.release();
  return reports.map(({ envelope }) => {
    const [, item = ""] = Buffer.from(envelope).toString().split("\n");
    return JSON.parse(item).type;
  });
}

/** @returns how many were stored, and how many refused by each fault */
async function outcomes(appends: Promise<void>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const one of await Promise.allSettled(appends)) {
    const key = one.status === "fulfilled" ? "stored" : one.reason.fault;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

/** Appends errors of 10 kB that name who sent them, together. */
function send(outbox: Outbox, count: number, sender: string, origin: Origin = "browser") {
  const text = `from ${sender}. ${"x".repeat(10_000)}`;
  return outcomes(
    Array.from({ length: count }, () =>
      outbox.append(errorEnvelope(undefined, text), origin, { senderKey: sender }),
    ),
  );
}

/** One error from each of so many senders. @returns how many were stored */
async function sendFromMany(outbox: Outbox, count: number, name = "visitor"): Promise<number> {
  let stored = 0;
  for (let n = 0; n < count; n++) stored += (await send(outbox, 1, `${name}-${n}`)).stored ?? 0;
  return stored;
}

async function countOf(outbox: Outbox, sender: string): Promise<number> {
  const reports = await envelopesIn(outbox);
  return reports.filter(({ envelope }) => Buffer.from(envelope).includes(`from ${sender}.`)).length;
}

describe.each(engines)("errors and feedback in %s", (_, open) => {
  it("are delivered before everything else, each in order of arrival", async () => {
    const { outbox } = open();
    for (const envelope of [session(), errorEnvelope(), transactionEnvelope(), feedback()]) {
      await outbox.append(envelope, "browser");
    }
    expect(await typesIn(outbox)).toEqual(["event", "feedback", "session", "transaction"]);
  });

  it("find room in an outbox that measurements have filled while the service is dead", async () => {
    const { outbox } = open({ maxBytes: megabyte });
    const measurements = Array.from({ length: 500 }, () =>
      outbox.append(transactionEnvelope("", 3000), "browser"),
    );
    const fill = await outcomes(measurements);
    const errors = Array.from({ length: 100 }, () => outbox.append(errorEnvelope(), "browser"));
    expect(await outcomes(errors)).toEqual({ stored: 100 });
    const types = await typesIn(outbox);
    expect(types.slice(0, 100)).toEqual(Array(100).fill("event"));
    expect(types[100]).toBe("transaction");
    // The oldest make room, and are counted.
    await expect
      .poll(async () => {
        const [evicted] = await dropsIn(outbox);
        return (
          evicted && { ...evicted, quantity: evicted.quantity + (await typesIn(outbox)).length }
        );
      })
      .toEqual({
        reason: "cache_overflow",
        category: "transaction",
        quantity: (fill.stored ?? 0) + 100,
      });
  });

  it("are refused only when nothing else is left", async () => {
    const { outbox, driver } = open({ maxBytes: 300_000 });
    for (let n = 0; n < 20; n++) await outbox.append(transactionEnvelope("", 6000), "browser");
    const large = "x".repeat(6000);
    const { stored = 0, full } = await outcomes(
      Array.from({ length: 100 }, () => outbox.append(errorEnvelope(undefined, large), "browser")),
    );
    expect(full).toBeGreaterThan(0);
    const low = { text: "select count(*) as count from {outbox} where low = 1" };
    await expect.poll(() => driver.read(low)).toEqual([{ count: 0 }]);
    expect(await typesIn(outbox)).toEqual(Array(stored).fill("event"));
    expect(await support.statsOf(outbox)).toMatchObject({ writable: true });
  });

  it("are written while measurements fill the memory of what is to be written", async () => {
    const { outbox, lines } = open();
    await outbox.append(errorEnvelope(), "browser");
    const measurements = Array.from({ length: 20 }, () =>
      outbox.append(transactionEnvelope("", megabyte), "browser"),
    );
    const error = outbox.append(errorEnvelope(), "browser");
    const { busy } = await outcomes(measurements);
    await expect(error).resolves.toBeUndefined();
    expect(busy).toBeGreaterThan(0);
    // Many at once are no fault of the store.
    expect(await support.statsOf(outbox)).toMatchObject({ writable: true });
    expect(lines).toEqual([]);
  });

  it("are written whatever their size where nothing else waits, and come back as they were", async () => {
    const { outbox } = open({ maxBytes: 256 * megabyte });
    const [low, high] = [transactionEnvelope("", 17 * megabyte), attachment(33 * megabyte)];
    await outbox.append(low, "browser");
    await outbox.append(high, "server");
    const claimed = await claimAll(outbox);
    const isSame = claimed.map(
      ({ envelope }, i) => !Buffer.compare(envelope, [high, low][i] ?? low),
    );
    expect(isSame).toEqual([true, true]);
  });
});

describe.each(engines)("an outbox at its bound in %s", (_, open) => {
  it("takes no report of more than 64 MiB", async () => {
    const { outbox } = open({ maxBytes: 256 * megabyte });
    const tooLarge = outbox.append(attachment(64 * megabyte), "server");
    await expect(tooLarge).rejects.toMatchObject({ fault: "malformed" });
    expect(await support.statsOf(outbox)).toMatchObject({ waiting: 0, writable: true });
  });

  it("holds no more than a report for each kilobyte, however small they are", async () => {
    const tiny = Buffer.from('{}\n{"type":"event"}\n{}');
    const { outbox } = open({ maxBytes: 200_000 });
    const appends = Array.from({ length: 300 }, () => outbox.append(tiny, "server"));
    const most = Math.floor(200_000 / (1024 + tiny.length));
    expect(await outcomes(appends)).toEqual({ stored: most, full: 300 - most });
    expect(await support.statsOf(outbox)).toMatchObject({ waiting: most });
  });

  it("is bounded together, whoever adds, removes and drops", async () => {
    const { outbox, another } = open({ maxBytes: 100_000 });
    const other = another();
    const large = () => errorEnvelope(undefined, "x".repeat(9000));
    for (let n = 0; n < 4; n++) await (n % 2 ? outbox : other).append(large(), "server");
    const [first, second] = await claimAll(outbox);
    if (first) await outbox.acknowledge(first, taken);
    if (second) await outbox.acknowledge(second, { kind: "dropped", reason: "send_error" });
    for (const one of [outbox, other]) {
      expect(await support.statsOf(one)).toMatchObject({ waiting: 2, highWaiting: 2 });
    }
    // What one has read of the store a moment ago is not known to the other: they may exceed the bound
    // by what both append meanwhile.
    const more = Array.from({ length: 20 }, (_, n) =>
      (n % 2 ? outbox : other).append(large(), "server"),
    );
    const { stored = 0 } = await outcomes(more);
    expect(stored).toBeLessThanOrEqual(16);
    await expect.poll(() => outcomes([other.append(large(), "server")])).toEqual({ full: 1 });
  });

  it("takes the first report after another process has emptied it", async () => {
    const { outbox, another } = open({ maxBytes: 100_000 });
    const large = () => errorEnvelope(undefined, "x".repeat(60_000));
    await outbox.append(large(), "browser");
    const isFull = () => outcomes([outbox.append(large(), "browser")]);
    await expect.poll(isFull).toEqual({ full: 1 });
    const other = another();
    for (const report of await claimAll(other)) await other.acknowledge(report, taken);
    const until = performance.now() + 2100;
    await expect.poll(() => performance.now(), { timeout: 4000 }).toBeGreaterThan(until);
    await outbox.append(large(), "browser");
  });

  it("has a quarter that no browser can take from the server", async () => {
    const { outbox } = open({ maxBytes: megabyte });
    expect(await sendFromMany(outbox, 120)).toBeLessThan(80);
    expect(await send(outbox, 10, "server", "server")).toEqual({ stored: 10 });
    expect(await countOf(outbox, "server")).toBe(10);
  });
});

describe.each(engines)("a sender that fills the outbox in %s", (_, open) => {
  it("is refused once more than half is taken, and others are not", async () => {
    const { outbox } = open({ maxBytes: megabyte });
    await send(outbox, 5, "early");
    const { stored = 0, over_quota = 0 } = await send(outbox, 300, "flooder");
    expect(stored).toBeGreaterThan(30);
    expect(stored).toBeLessThan(50);
    expect(over_quota).toBe(300 - stored);
    expect(await send(outbox, 1, "late")).toEqual({ stored: 1 });
    expect(await countOf(outbox, "early")).toBe(5);
    expect(await countOf(outbox, "flooder")).toBe(stored);
  });

  it("is refused as well while what waits is flushed, as an open page of the inbox does", async () => {
    const { outbox } = open({ maxBytes: megabyte });
    const sending = send(outbox, 300, "flooder");
    await outbox.flush();
    const { stored = 0, over_quota } = await sending;
    expect(stored).toBeLessThan(60);
    expect(over_quota).toBe(300 - stored);
  });

  it("is found where the outbox was filled by many before", async () => {
    const { outbox } = open({ maxBytes: 2 * megabyte });
    await sendFromMany(outbox, 100, "first");
    const { stored = 0, over_quota } = await send(outbox, 20, "flooder");
    expect(stored).toBeLessThan(5);
    expect(over_quota).toBe(20 - stored);
    expect(await sendFromMany(outbox, 5, "late")).toBe(5);
  });
});

describe.each(["SQLite", "Postgres"] as const)("the store's secret in %s", (engine) => {
  /** Opens a store. What modules keep is new with each, as it is in another process. */
  async function process(file: string, schema: string): Promise<Outbox> {
    vi.resetModules();
    const { openOutbox, openPostgresOutbox }: typeof support = await import(
      "@/tests/support/outboxes"
    );
    return (engine === "SQLite" ? openOutbox({ file }) : openPostgresOutbox({ schema })).outbox;
  }

  /** @returns opens another process on one new store */
  function newStore(): () => Promise<Outbox> {
    const file = join(support.temporaryFolder(), "outbox.db");
    const schema = `test_${randomUUID().replaceAll("-", "")}`;
    return () => process(file, schema);
  }

  async function sendersIn({ driver }: Outbox): Promise<number[]> {
    const text = "select distinct sender from {outbox}";
    return (await driver.read<{ sender: number }>({ text })).map(({ sender }) => sender);
  }

  it("gives an address one share of a store, whichever process it asks, and after a restart", async () => {
    const open = newStore();
    const processes = [await open(), await open()];
    for (const outbox of processes) await send(outbox, 1, "203.0.113.9");
    await processes[0]?.close();
    const later = await open();
    await send(later, 1, "203.0.113.9");
    expect(await sendersIn(later)).toHaveLength(1);
  });

  it("gives it to what a process hands over as it ends, too, once it is known", async () => {
    const outbox = await newStore()();
    await send(outbox, 1, "203.0.113.9");
    const sending = send(outbox, 1, "203.0.113.9");
    await outbox.flushNow();
    await sending;
    expect(await sendersIn(outbox)).toHaveLength(1);
  });

  it("is made once, by those who open a new store together", async () => {
    const open = newStore();
    const processes = [await open(), await open(), await open()];
    const secrets = await Promise.all(processes.map(({ secret }) => secret.read()));
    expect(new Set(secrets.map(String)).size).toBe(1);
    expect(secrets[0]).toHaveLength(32);
    const elsewhere = await (await newStore()()).secret.read();
    expect(elsewhere.equals(secrets[0] as Buffer)).toBe(false);
  });
});

describe.each(engines)("measurements of one sender in %s", (_, open) => {
  /** Fills three quarters with measurements of one sender. */
  async function filled() {
    const opened = open({ maxBytes: 2 * megabyte });
    const { outbox } = opened;
    const measurements = Array.from({ length: 2000 }, () =>
      outbox.append(transactionEnvelope(), "browser", { senderKey: "everybody" }),
    );
    const { over_quota } = await outcomes(measurements);
    expect(over_quota).toBeGreaterThan(0);
    return opened;
  }

  it("do not count where that one sends an error, as all do behind one address", async () => {
    const { outbox } = await filled();
    expect(await send(outbox, 10, "everybody")).toEqual({ stored: 10 });
  });

  it("are evicted without being counted over and over", async () => {
    const { outbox, driver } = await filled();
    const transactions = vi.spyOn(driver, "transaction");
    const texts = () => transactions.mock.calls.flatMap(([all]) => all.map(({ text }) => text));
    // As much as two batches have, for the browsers' share is full.
    const large = errorEnvelope(undefined, "x".repeat(1.4 * megabyte));
    await outbox.append(large, "browser", { senderKey: "everybody" });
    const count = (part: string) => texts().filter((text) => text.includes(part)).length;
    expect(count("delete from {outbox}")).toBeGreaterThan(1);
    expect(count("as browsers")).toBeLessThan(2);
  });
});

describe.each(engines)("what the service has limited for long, in %s", (_, open) => {
  const transactions = categorySet(["transaction", "span"]);

  it("is dropped where it lies, and counted; errors, feedback and the rest stay", async () => {
    const { outbox } = open();
    for (let n = 0; n < 450; n++) void outbox.append(transactionEnvelope(), "browser");
    const mixed = (...types: string[]) =>
      envelopeOf({}, ...types.map((type) => [{ type }, "{}"] as const));
    const kept = [
      errorEnvelope(),
      mixed("event", "transaction"),
      session(),
      mixed("client_report"),
      mixed("transaction", "client_report"),
      mixed("transaction", "session"),
    ];
    for (const envelope of [...kept, mixed("transaction", "span")]) {
      await outbox.append(envelope, "browser");
    }
    await support.housekeepingOf(outbox).dropUnwanted(transactions);
    const types = ["event", "event", "session", "client_report", "transaction", "transaction"];
    expect(await typesIn(outbox)).toEqual(types);
    expect(await dropsIn(outbox)).toEqual([
      { reason: "ratelimit_backoff", category: "span", quantity: 1 },
      { reason: "ratelimit_backoff", category: "transaction", quantity: 451 },
    ]);
  });

  it("is dropped also where it takes more memory than is read at once", async () => {
    const { outbox } = open();
    for (let n = 0; n < 12; n++) await outbox.append(transactionEnvelope("", megabyte), "browser");
    await outbox.append(errorEnvelope(), "browser");
    await support.housekeepingOf(outbox).dropUnwanted(transactions);
    expect(await typesIn(outbox)).toEqual(["event"]);
    expect(await dropsIn(outbox)).toMatchObject([{ category: "transaction", quantity: 12 }]);
  });
});

describe.each(engines)("what was dropped in %s", (_, open) => {
  it("is too old for another attempt after one has failed, once the process has run for an hour", async () => {
    let uptime = 0;
    const { outbox: before, another, clock } = open({ maxAgeMs: day });
    const later = { kind: "later", ms: 0 } as const;
    await before.append(errorEnvelope(), "browser");
    await before.append(errorEnvelope(), "browser");
    // No server runs over night.
    clock.now += day + 1;
    const outbox = another({ uptime: () => uptime });
    await outbox.append(errorEnvelope(), "browser");
    for (const one of [outbox, another({ maxAgeMs: day })]) {
      await support.housekeepingOf(one).expire(0);
      expect(await support.statsOf(one)).toMatchObject({ waiting: 3 });
    }
    const failAll = async () => {
      const [first, second, third] = await claimAll(outbox);
      if (!first || !second || !third) throw new Error("Expected three reports.");
      await outbox.acknowledge(first, later);
      await outbox.acknowledge(second, { ...later, whateverAge: true });
      await outbox.acknowledge(third, later);
      return support.statsOf(outbox);
    };
    expect(await failAll()).toMatchObject({ waiting: 3 });
    uptime += 60 * 60_000 - 1;
    expect(await failAll()).toMatchObject({ waiting: 3 });
    uptime += 1;
    expect(await failAll()).toMatchObject({ waiting: 2 });
    expect(await dropsIn(outbox)).toEqual([
      { reason: "network_error", category: "error", quantity: 1 },
    ]);
  });

  it("is not what came before the machine slept, or its clock was set", async () => {
    let uptime = 0;
    const { outbox, clock } = open({ maxAgeMs: day, uptime: () => uptime });
    uptime += day;
    clock.now += day;
    await outbox.append(errorEnvelope(), "browser");
    await outbox.append(errorEnvelope(), "browser");
    clock.now += 2 * day;
    await support.housekeepingOf(outbox).expire(categorySet(["error"]));
    const [one] = await claimAll(outbox);
    if (one) await outbox.acknowledge(one, { kind: "later", ms: 0 });
    expect(await support.statsOf(outbox)).toMatchObject({ waiting: 2 });
  });

  it("was limited for so long, once the process has run for as long", async () => {
    let uptime = 0;
    const { outbox: before, another, clock } = open({ maxAgeMs: day });
    const span = categorySet(["span"]);
    await before.append(errorEnvelope(), "browser");
    await before.append(envelopeOf({}, [{ type: "span", item_count: 3 }, "{}"]), "browser");
    // What the service takes of it goes without the rest.
    await before.append(
      envelopeOf({}, [{ type: "span" }, "{}"], [{ type: "client_report" }, "{}"]),
      "browser",
    );
    clock.now += 2 * day;
    const outbox = another({ uptime: () => uptime });
    await outbox.append(envelopeOf({}, [{ type: "span" }, "{}"]), "browser");
    uptime += day - 1;
    await support.housekeepingOf(outbox).expire(span);
    expect(await support.statsOf(outbox)).toMatchObject({ waiting: 4 });
    uptime += 1;
    await support.housekeepingOf(outbox).expire(span);
    expect(await support.statsOf(outbox)).toMatchObject({ waiting: 3 });
    expect(await dropsIn(outbox)).toEqual([
      { reason: "ratelimit_backoff", category: "span", quantity: 3 },
    ]);
  });

  it("has waited as long where there is no destination, but for what another has in hand", async () => {
    let uptime = 0;
    const { outbox: before, another, clock } = open({ maxAgeMs: day });
    for (let n = 0; n < 2; n++) await before.append(errorEnvelope(), "browser");
    clock.now += day + 1;
    const outbox = another({ uptime: () => uptime });
    await another().claim({ limit: 1, without: 0 });
    for (const hasDestination of [false, true, false]) {
      await support.housekeepingOf(outbox).expire(0, hasDestination);
      expect(await support.statsOf(outbox)).toMatchObject({
        waiting: uptime === 0 || hasDestination ? 2 : 1,
      });
      uptime = day;
    }
  });

  it("is told to the service once, in a client report, whoever tells it", async () => {
    const { outbox, another, clock } = open();
    const other = another();
    const drop = async () => {
      await outbox.append(errorEnvelope(), "browser");
      const [claimed] = await claimAll(outbox);
      if (claimed) await outbox.acknowledge(claimed, { kind: "dropped", reason: "send_error" });
      await Promise.all([
        support.housekeepingOf(outbox).reportDrops(true),
        support.housekeepingOf(other).reportDrops(true),
      ]);
      await support.housekeepingOf(outbox).reportDrops(true);
      return claimAll(outbox);
    };
    for (let n = 0; n < 2; n++) {
      const [report, ...none] = await drop();
      expect(none).toEqual([]);
      const [, header = "", payload = ""] = Buffer.from(report?.envelope ?? [])
        .toString()
        .split("\n");
      expect(JSON.parse(header).type).toBe("client_report");
      expect(JSON.parse(payload)).toEqual({
        timestamp: new Date(clock.now).toISOString(),
        discarded_events: [{ reason: "send_error", category: "error", quantity: 1 }],
      });
      if (report) await outbox.acknowledge(report, taken);
    }
  });

  it("is told later where that fails", async () => {
    const { outbox, refuseReports } = open();
    await outbox.countDrops([{ reason: "send_error", category: "error", quantity: 2 }]);
    const takeThemAgain = await refuseReports();
    await expect(support.housekeepingOf(outbox).reportDrops(true)).rejects.toMatchObject({
      name: "OutboxError",
    });
    await takeThemAgain();
    await support.housekeepingOf(outbox).reportDrops(true);
    expect(await typesIn(outbox)).toEqual(["client_report"]);
  });

  it("is told where the outbox is full, too", async () => {
    const error = errorEnvelope();
    const { outbox } = open({ maxBytes: sizeOf(error) + 1000 });
    await outbox.append(error, "server");
    await outbox.countDrops([{ reason: "send_error", category: "error", quantity: 2 }]);
    await support.housekeepingOf(outbox).reportDrops(true);
    expect(await typesIn(outbox)).toEqual(["event", "client_report"]);
  });

  it("is logged once, also where there is no service to be told", async () => {
    const { outbox, another, lines } = open();
    const log = (...[level, event, fields = {}]: Parameters<Log>) => {
      lines.push({ level, event, fields });
    };
    const processes = [outbox, another({ log }), another({ log })];
    await outbox.countDrops([{ reason: "send_error", category: "error", quantity: 2 }]);
    await Promise.all(processes.map((one) => support.housekeepingOf(one).reportDrops(false)));
    await outbox.countDrops([{ reason: "send_error", category: "error", quantity: 3 }]);
    await support.housekeepingOf(outbox).reportDrops(false);
    const line = (quantity: number) => ({
      level: "warn",
      event: "reports dropped",
      fields: { reason: "send_error", category: "error", quantity },
    });
    expect(lines).toEqual([line(2), line(3)]);
    expect(await typesIn(outbox)).toEqual([]);
  });
});
