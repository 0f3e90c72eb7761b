import { describe, expect, test } from "vitest";
import { filedBounds, pruneRows } from "@/packages/inbox/src/pruning";
import { countIn, filerOf, sourcesOf } from "@/packages/inbox/tests/support/inbox";
import type { Origin } from "@/packages/relay/src/outbox/reports";
import { envelope, errorEvent } from "@/tests/support/envelopes";
import { engines } from "@/tests/support/outboxes";
import { seededRandom } from "@/tests/support/seeded-random";

/** Seconds since the epoch: when the clock of the tests stands still. */
const start = Date.UTC(2026, 0, 1) / 1000;
const traceOf = (n: number) => n.toString(16).padStart(32, "0");

interface Measured {
  route?: string;
  trace?: number;
  ms?: number;
  vitals?: Record<string, number>;
  status?: number;
}

/** A page load with these vitals, or a request that the server answered with this status. */
function visit({ route = "/a", trace = 1, ms = 1000, vitals = {}, status }: Measured): Uint8Array {
  const op = status === undefined ? "pageload" : "http.server";
  const data = { "http.response.status_code": status };
  const measurements = Object.entries(vitals).map(([name, value]) => [name, { value }]);
  return envelope([
    [
      "transaction",
      {
        transaction: route,
        start_timestamp: start,
        timestamp: start + ms / 1000,
        contexts: { trace: { trace_id: traceOf(trace), span_id: "1".repeat(16), op, data } },
        measurements: Object.fromEntries(measurements),
      },
    ],
  ]);
}

describe.each(engines)("the measurements filed in %s", (_, open) => {
  function opened() {
    const { outbox, driver, clock, another } = open();
    const file = async (reports: readonly Uint8Array[], origin: Origin = "browser") => {
      await Promise.all(reports.map((one) => outbox.append(one, origin)));
      await filerOf(outbox).file();
    };
    const { performance, reports } = sourcesOf(outbox);
    const firstPage = () => performance.page({ limit: 40, offset: 0 });
    const countOf = (table: string) => countIn(outbox, table);
    return { outbox, driver, clock, another, file, performance, reports, firstPage, countOf };
  }

  test("give percentiles that are among the values, for each vital and for requests", async () => {
    const { file, firstPage } = opened();
    const random = seededRandom(7);
    for (const count of [1, 2, 3, 4, 5, 20, 41]) {
      const route = `/of/${count}`;
      const values = Array.from({ length: count }, () => 1 + Math.floor(random() * 20));
      const ofServer = values.map((ms, i) => visit({ route, ms, status: i === 0 ? 500 : 200 }));
      await file(ofServer, "server");
      await file(values.map((lcp) => visit({ route, vitals: { lcp, cls: lcp / 8 } })));
      const found = (await firstPage()).find((one) => one.route === route);
      const at = (share: number) =>
        [...values]
          .sort((a, b) => a - b)
          .find((one) => values.filter((other) => other <= one).length >= share * count) ?? 0;
      expect(found?.vitals).toMatchObject([
        { vital: "lcp", count, p75: at(0.75) },
        { vital: "cls", count, p75: at(0.75) / 8 },
      ]);
      const { p50 = 0, p75 = 0, p95 = 0, ...requests } = found?.requests ?? {};
      expect(requests).toEqual({ count, failureRate: 1 / count });
      expect([p50, p75, p95].map(Math.round)).toEqual([at(0.5), at(0.75), at(0.95)]);
      expect(found?.visits).toBe(2 * count);
    }
  });

  test("name the routes measured most often first, page by page", async () => {
    const { file, performance, firstPage } = opened();
    const often = visit({ route: "/often", vitals: { lcp: 1, fcp: 1, ttfb: 1 } });
    const twice = visit({ route: "/twice", vitals: { lcp: 1 } });
    await file([visit({ route: "/never" }), twice, twice, often]);
    const routes = (await firstPage()).map(({ route }) => route);
    expect([routes, await performance.count()]).toEqual([["/often", "/twice", "/never"], 3]);
    const [second] = await performance.page({ limit: 1, offset: 1 });
    expect(second).toMatchObject({ route: "/twice", visits: 2, requests: undefined });
    expect(await performance.route("/never")).toMatchObject({ vitals: [], visits: 1 });
    expect(await performance.route("/none")).toBeUndefined();
  });

  test("name the slowest visits of a route, of each trace the slowest part", async () => {
    const { file, performance } = opened();
    const parts = [
      [1, 500],
      [2, 900],
      [3, 100],
      [1, 700],
      [2, 200],
    ] as const;
    await file(parts.map(([trace, ms]) => visit({ trace, ms })));
    await file([visit({ trace: 9, ms: 5000, route: "/b" })]);
    const slowest = await performance.slowest("/a");
    expect(slowest.map(({ traceId, duration }) => [traceId, Math.round(duration)])).toEqual([
      [traceOf(2), 900],
      [traceOf(1), 700],
      [traceOf(3), 100],
    ]);
    await file(Array.from({ length: 30 }, (_, n) => visit({ trace: 100 + n })));
    expect(await performance.slowest("/a")).toHaveLength(20);
  });

  test("have the parts of a trace, with an end", async () => {
    const { file, performance } = opened();
    await file([visit({ route: "/first" }), visit({ trace: 2 }), visit({}), visit({})]);
    const found = await performance.visitsOfTrace(traceOf(1), 2);
    expect(found).toMatchObject({ visits: [{ route: "/first" }, { route: "/a" }], left: 1 });
    expect(await performance.visitsOfTrace(traceOf(3), 2)).toBeUndefined();
  });

  test("are there once, also where two processes file the same reports", async () => {
    const { outbox, driver, clock, another, file, firstPage, countOf } = opened();
    const both = envelope([
      ["event", errorEvent()],
      ["transaction", { transaction: "/a", measurements: { lcp: { value: 3 } } }],
    ]);
    await outbox.append(both, "browser");
    // The first one has claimed and read it, and writes after its claim has ended.
    const { destination } = filerOf(outbox);
    const [report] = await outbox.claim({ limit: 1, without: 0 });
    if (!report) throw new Error("Expected a report, got none");
    const outcome = await destination.deliver(report, new AbortController().signal);
    clock.now += 60_000;
    const other = another();
    const [again] = await other.claim({ limit: 1, without: 0 });
    expect(again?.id).toBe(report.id);
    await outbox.acknowledge(report, outcome);
    const quantities =
      "select quantity from {routes} union all select quantity from {error_groups}";
    expect(await driver.read({ text: quantities })).toEqual([]);
    clock.now += 60_000;
    await filerOf(other).file();
    expect(await firstPage()).toMatchObject([{ vitals: [{ count: 1 }] }]);
    expect(await driver.read({ text: quantities })).toEqual([{ quantity: 1 }, { quantity: 1 }]);
    await file([]);
    expect([await countOf("measurements"), await countOf("kept_reports")]).toEqual([1, 1]);
  });

  test("outlive their reports, by number, bytes and age, and the server's have a share", async () => {
    const { driver, clock, file, performance, countOf } = opened();
    const prune = (over: Partial<typeof filedBounds.errors>, now = clock.now) => {
      const measurements = { ...filedBounds.measurements, ...over };
      return pruneRows(driver, { ...filedBounds, measurements }, String(now));
    };
    await file(
      Array.from({ length: 30 }, (_, n) => visit({ route: "/server", trace: n, status: 200 })),
      "server",
    );
    clock.now += 1000;
    const flood = Array.from({ length: 100 }, (_, n) =>
      visit({ route: `/made-up/${n}`, vitals: { lcp: 1 } }),
    );
    await file(flood);
    expect(await countOf("measurements")).toBe(260);
    await prune({ count: 100 });
    expect(await countOf("measurements")).toBe(100);
    const { requests, visits = 0 } = (await performance.route("/server")) ?? {};
    expect((requests?.count ?? 0) + visits).toBe(25);
    expect(await performance.count()).toBeLessThan(45);
    await prune({ bytes: 10_000 });
    expect(await countOf("measurements")).toBeLessThan(60);
    expect(await countOf("measurements")).toBeGreaterThan(45);
    const left = await performance.route("/server");
    expect((left?.requests?.count ?? 0) + (left?.visits ?? 0)).toBeGreaterThan(7);
    await prune({}, clock.now + filedBounds.measurements.ageMs + 1);
    expect([await countOf("measurements"), await performance.count()]).toEqual([0, 0]);
  });

  test("say what else is kept, and what could not be read", async () => {
    const { driver, clock, file, reports, countOf } = opened();
    await file([
      envelope([["check_in", {}]]),
      envelope([
        ["log", {}],
        ["check_in", {}],
        ["transaction", { neither: true }],
      ]),
    ]);
    expect(await reports.counts()).toEqual({
      reports: 2,
      unshown: { checkIns: 2, logs: 1 },
      unreadable: 1,
      dropped: 0,
    });
    await pruneRows(driver, filedBounds, String(clock.now));
    expect(await countOf("unfiled_items")).toBe(4);
  });

  test("room is made in few steps where the origin with hardly too many has no old rows", async () => {
    const { driver, clock } = open();
    const insert = (origin: string, first: number, count: number, seenAt: number) =>
      driver.transaction([
        {
          text: `insert into {measurements}
            (report_id, position, route, metric, value, failed, trace_id, origin, seen_at, size)
            values ${Array.from({ length: count }, (_, n) => `(${first + n}, 0, '/', 'lcp', 1, 0, null, '${origin}', ${seenAt}, 180)`).join(", ")}`,
        },
      ]);
    // Within the bounds, and then a burst of the server's and one of a browser.
    await insert("server", 1, 250, clock.now - 10_000);
    await insert("browser", 1000, 750, clock.now - 5_000);
    await insert("server", 2000, 400, clock.now);
    await insert("browser", 3000, 1, clock.now);
    let statements = 0;
    const counting: Pick<typeof driver, "read" | "transaction" | "dialect"> = {
      dialect: driver.dialect,
      read: (statement) => {
        statements += 1;
        return driver.read(statement);
      },
      transaction: (all) => {
        statements += 1;
        return driver.transaction(all);
      },
    };
    const bounds = { ...filedBounds.measurements, count: 1000 };
    await pruneRows(counting, { ...filedBounds, measurements: bounds }, String(clock.now));
    const left = await driver.read({
      text: "select origin, count(*) as count from {measurements} group by origin order by origin",
    });
    expect(left).toEqual([
      { origin: "browser", count: 750 },
      { origin: "server", count: 250 },
    ]);
    expect(statements).toBeLessThan(40);
  });
});
