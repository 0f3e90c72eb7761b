import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { isExpendable } from "@/lib/envelope/categories";
import type { Drops } from "@/lib/envelope/client-report";
import { type Contents, ReportIndex, type ReportSource } from "@/lib/inbox/report-index";
import type { OldestIds, StoredReport } from "@/lib/outbox/outbox";
import { envelope, errorEvent, feedbackEvent, stored } from "@/tests/support/envelopes";
import { generousBounds, openOutbox } from "@/tests/support/outboxes";

/** An outbox in memory that tells what was asked of it. */
class Shelf implements ReportSource {
  reports: StoredReport[] = [];
  handedOut = 0;

  async list({ after, limit }: { after: number; limit: number }): Promise<StoredReport[]> {
    const found = this.reports.filter((one) => one.id > after).slice(0, limit);
    this.handedOut += found.length;
    return found;
  }

  async oldestIds(): Promise<OldestIds> {
    const oldest = (expendable: boolean) =>
      this.reports.find(({ categories }) => isExpendable(categories) === expendable)?.id;
    return { important: oldest(false), expendable: oldest(true), reports: this.reports.length };
  }

  async ids(): Promise<number[]> {
    return this.reports.map(({ id }) => id);
  }

  async drops(): Promise<Drops[]> {
    return [];
  }

  add(bytes: Uint8Array, id = (this.reports.at(-1)?.id ?? 0) + 1): void {
    this.reports.push(stored(id, bytes));
  }
}

/** A visit, beside an error: such a report makes no room for others. */
function visited(route: string): Uint8Array {
  const trace = { trace_id: "a".repeat(32), span_id: "1".repeat(16), op: "pageload" };
  const visit = { transaction: route, start_timestamp: 1, timestamp: 2, contexts: { trace } };
  return envelope([
    ["event", errorEvent()],
    ["transaction", visit],
  ]);
}

const routes = (contents: Contents) => contents.routes.map(({ route }) => route).sort();
const routesOf = ({ visits }: Contents) => visits.map(({ route }) => route);

test("a later look reads only what came since", async () => {
  const shelf = new Shelf();
  for (let i = 0; i < 200; i += 1) shelf.add(visited("many"));
  const index = new ReportIndex(shelf);
  await Promise.all([index.look(), index.look()]);
  expect(shelf.handedOut).toBe(200);
  const before = await index.look();
  shelf.add(visited("new"));
  const after = await index.look();
  expect(shelf.handedOut).toBe(201);
  expect(before.visits).toHaveLength(200);
  expect(routesOf(after).slice(-2)).toEqual(["many", "new"]);
  expect(await index.look()).toBe(after);
});

test("a report stored while a look runs is in the look that was asked for afterwards", async () => {
  const shelf = new Shelf();
  shelf.add(visited("first"));
  const index = new ReportIndex(shelf);
  const { drops } = shelf;
  const during: Promise<Contents>[] = [];
  shelf.drops = async () => {
    // The look has read all reports by now.
    if (during.length === 0) {
      shelf.add(visited("second"));
      during.push(index.look(), index.look());
    }
    return drops();
  };
  expect((await index.look()).reports).toBe(1);
  for (const contents of await Promise.all(during)) expect(contents.reports).toBe(2);
  expect(shelf.handedOut).toBe(2);
});

test("a report that is dropped while a look runs is not in its result", async () => {
  const shelf = new Shelf();
  for (let i = 0; i < 100; i += 1) shelf.add(visited("many"));
  const index = new ReportIndex(shelf);
  const { list } = shelf;
  shelf.list = async (range) => {
    const reports = await list.call(shelf, range);
    if (range.after === 0) shelf.reports.splice(0, 80);
    return reports;
  };
  expect(await index.look()).toMatchObject({ reports: 20, visits: { length: 20 } });
});

test("whatever is stored, dropped and asked for at the same time, each look is complete and exact", async () => {
  let seed = 5;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const turns = async () => {
    for (let left = random(4); left > 0; left -= 1) await nextTurn();
  };
  /** Answers after a while, from what it held when it was asked or a while later. */
  class SlowShelf extends Shelf {
    override async list(range: { after: number; limit: number }) {
      await turns();
      const reports = await super.list(range);
      await turns();
      return reports;
    }
    override async oldestIds() {
      await turns();
      const ids = await super.oldestIds();
      await turns();
      return ids;
    }
  }
  const shelf = new SlowShelf();
  const index = new ReportIndex(shelf);
  let added = 0;
  let dropped = 0;
  let checked = 0;

  async function checkLook(): Promise<void> {
    const [droppedBefore, addedBefore] = [dropped, added];
    const contents = await index.look();
    const ids = contents.visits.map(({ reportId }) => reportId);
    expect(new Set(ids).size).toBe(contents.reports);
    expect(Math.min(...ids)).toBeGreaterThan(droppedBefore);
    for (let id = dropped + 1; id <= addedBefore; id += 1) expect(ids).toContain(id);
    checked += 1;
  }

  const looks: Promise<void>[] = [];
  for (let step = 0; step < 600; step += 1) {
    for (let count = random(6); count > 0; count -= 1) {
      added += 1;
      shelf.add(visited("many"), added);
    }
    if (shelf.reports.length > 100) dropped += shelf.reports.splice(0, random(30)).length;
    if (random(3) === 0) looks.push(checkLook());
    await nextTurn();
  }
  await Promise.all(looks);
  expect(checked).toBe(looks.length);
  expect(shelf.handedOut).toBeLessThanOrEqual(added);
});

test("what the outbox has dropped is gone from the inbox too", async () => {
  const shelf = new Shelf();
  shelf.add(visited("old"));
  shelf.add(visited("old too"));
  shelf.add(visited("young"));
  const index = new ReportIndex(shelf);
  expect((await index.look()).reports).toBe(3);
  shelf.reports.splice(0, 2);
  expect(await index.look()).toMatchObject({
    reports: 1,
    visits: [{ route: "young" }],
  });
  expect(await index.report(1)).toBeUndefined();
  expect(await index.report(3)).toBe(shelf.reports[0]);
  shelf.reports = [];
  expect(await index.look()).toMatchObject({ reports: 0, visits: [], routes: [] });
});

test("measurements that made room for errors are gone, though older errors are still there", async () => {
  const bounds = { ...generousBounds, maxReports: 4, whenFull: "drop-oldest" as const };
  const { outbox } = openOutbox({ bounds });
  const index = new ReportIndex(outbox);
  const measurement = envelope([
    ["transaction", { transaction: "/x", measurements: { lcp: { value: 3 } }, spans: [] }],
  ]);
  await outbox.append(visited("old"), "browser");
  for (let n = 0; n < 2; n += 1) await outbox.append(measurement, "browser");
  expect(routes(await index.look())).toEqual(["/x", "old"]);
  for (const name of ["two", "three", "four"]) await outbox.append(visited(name), "browser");
  const contents = await index.look();
  expect(contents).toMatchObject({ reports: 4, dropped: 2 });
  expect(routes(contents)).toEqual(["four", "old", "three", "two"]);
});

test("a failing outbox fails the look, and the next look is a new try", async () => {
  const shelf = new Shelf();
  shelf.add(visited("here"));
  const index = new ReportIndex(shelf);
  const list = shelf.list;
  shelf.list = async () => {
    throw new Error("locked");
  };
  await expect(index.look()).rejects.toThrow("locked");
  shelf.list = list;
  expect((await index.look()).reports).toBe(1);
});

test("thousands of damaged reports never make it throw", async () => {
  let seed = 11;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const whole = Buffer.from(
    envelope([
      ["event", errorEvent()],
      ["transaction", { transaction: "/x", measurements: { lcp: { value: 3 } }, spans: [{}] }],
      ["span", { items: [{ name: "/x", attributes: { "sentry.op": { value: "http.server" } } }] }],
      ["feedback", feedbackEvent("hello")],
      ["user_report", { comments: "hello" }],
    ]),
  );
  const shelf = new Shelf();
  const odd = ["null", "[]", "1e999", '"\\ud800"', "{}", "-1", "true", '"\\u0000"', "\n", "{", "]"];
  for (let i = 0; i < 3000; i += 1) {
    let text = whole.toString("latin1");
    for (let cuts = 1 + random(4); cuts > 0; cuts -= 1) {
      const at = random(text.length);
      text = text.slice(0, at) + (odd[random(odd.length)] ?? "") + text.slice(at + random(12));
    }
    shelf.add(Buffer.from(text, "latin1"));
  }
  const contents = await new ReportIndex(shelf).look();
  expect(contents.reports).toBe(3000);
  expect(contents.unreadable).toBeGreaterThan(1000);
  expect(contents.routes.length).toBeGreaterThan(0);
});

test("values of the wrong kind in right places never make it throw", async () => {
  const odd: unknown[] = [null, 0, -1, 1e300, "", "x", true, [], {}, [null], [[]], { values: 1 }];
  const shelf = new Shelf();
  const samples = [
    errorEvent(),
    feedbackEvent("x"),
    { transaction: "/", measurements: {}, spans: [] },
  ];
  for (const [i, type] of ["event", "feedback", "transaction"].entries()) {
    const sample = samples[i] as Record<string, unknown>;
    for (const key of [...Object.keys(sample), "message", "logentry", "tags", "request", "user"]) {
      for (const value of odd) shelf.add(envelope([[type, { ...sample, [key]: value }]]));
    }
  }
  for (const value of odd) {
    shelf.add(envelope([["span", { items: [value, { attributes: value, data: value }] }]]));
    shelf.add(envelope([["event", errorEvent({ exception: { values: [value] } })]]));
  }
  await expect(new ReportIndex(shelf).look()).resolves.toMatchObject({
    reports: shelf.reports.length,
  });
});

test("a report that can't be read is counted, and read once", async () => {
  const shelf = new Shelf();
  shelf.add(visited("before"));
  shelf.add(visited("damaged"));
  shelf.add(visited("after"));
  Object.defineProperty(shelf.reports[1], "envelope", {
    get() {
      throw new RangeError("Expected bytes, got none");
    },
  });
  const index = new ReportIndex(shelf);
  for (let look = 0; look < 2; look += 1) {
    const contents = await index.look();
    expect(routesOf(contents)).toEqual(["before", "after"]);
    expect([contents.reports, contents.unreadable]).toEqual([3, 1]);
  }
  expect(shelf.handedOut).toBe(3);
});

test("what there is no memory for is left out and counted, the oldest first", async () => {
  const shelf = new Shelf();
  for (let n = 0; n < 100; n += 1) shelf.add(visited(`route ${n}`));
  const contents = await new ReportIndex(shelf, 10_000).look();
  const kept = routesOf(contents);
  expect(contents.reports).toBe(100);
  expect(contents.left).toBe(100 - kept.length);
  expect(kept.length).toBeGreaterThan(5);
  expect(kept.at(-1)).toBe("route 99");
});

test("it counts what the outbox has given up, also since the last look", async () => {
  const bounds = { ...generousBounds, maxReports: 2, whenFull: "drop-oldest" as const };
  const { outbox } = openOutbox({ bounds });
  const index = new ReportIndex(outbox);
  await outbox.append(visited("one"), "browser");
  expect(await index.look()).toMatchObject({ reports: 1, dropped: 0 });
  for (const name of ["two", "three", "four"]) await outbox.append(visited(name), "browser");
  expect(await index.look()).toMatchObject({ reports: 2, dropped: 4 });
});

test("what the outbox has dropped of a sender that filled it is gone, wherever it stood", async () => {
  const bounds = { ...generousBounds, maxReports: 20, whenFull: "drop-oldest" as const };
  const { outbox } = openOutbox({ bounds });
  const index = new ReportIndex(outbox);
  const eventsOf = async (message: string) =>
    routesOf(await index.look()).filter((one) => one === message).length;
  for (let n = 0; n < 3; n++) await outbox.append(visited("early"), "browser", { sender: "early" });
  for (let n = 0; n < 50; n++) {
    await outbox.append(visited("flood"), "browser", { sender: "flooder" });
    if (n % 10 === 0) await index.look();
  }
  for (let n = 0; n < 3; n++) await outbox.append(visited("late"), "browser", { sender: "late" });
  expect([await eventsOf("early"), await eventsOf("flood"), await eventsOf("late")]).toEqual([
    3, 14, 3,
  ]);
});

test("others have their turn while large reports are digested", async () => {
  const shelf = new Shelf();
  for (let n = 0; n < 20; n += 1) {
    shelf.add(visited("one"));
    const report = shelf.reports.at(-1) as StoredReport;
    const { envelope: bytes } = report;
    Object.defineProperty(report, "envelope", {
      get() {
        const end = performance.now() + 12;
        while (performance.now() < end);
        return bytes;
      },
    });
  }
  let turns = 0;
  let looking = true;
  const count = () => {
    turns += 1;
    if (looking) setImmediate(count);
  };
  setImmediate(count);
  await new ReportIndex(shelf).look();
  looking = false;
  expect(turns).toBeGreaterThanOrEqual(20);
});
