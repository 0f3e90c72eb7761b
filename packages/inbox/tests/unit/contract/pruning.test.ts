import { describe, expect, test } from "vitest";
import { type FiledBounds, filedBounds, pruneRows } from "@/packages/inbox/src/pruning";
import {
  anyError,
  countIn,
  decide,
  decisionsIn,
  errorOf,
  filerOf,
  found,
  sourcesOf,
  thrownIn,
} from "@/packages/inbox/tests/support/inbox";
import type { Driver, Statement } from "@/packages/relay/src/outbox/driver";
import type { Origin } from "@/packages/relay/src/outbox/reports";
import type { FrameResolver } from "@/packages/relay/src/source-maps/frames";
import { envelope, feedbackEvent, someEventId } from "@/tests/support/envelopes";
import { engines, openPostgresOutbox, statsOf } from "@/tests/support/outboxes";
import { runSql } from "@/tests/support/postgres.js";

function boundsOf(table: keyof FiledBounds, over: Partial<FiledBounds["errors"]>): FiledBounds {
  return { ...filedBounds, [table]: { ...filedBounds[table], ...over } };
}

/** Resolves each frame to a file of its own, named by its column. */
const placed: FrameResolver = async (frames) =>
  frames.map(({ function: name, colno }) => ({
    resolved: true,
    file: `pages/${colno}.tsx`,
    line: Number(colno),
    column: 1,
    function: String(name),
    own: true,
    code: undefined,
  }));

describe("a schema of Postgres that a team has tables of its own in", () => {
  /**
   * Opens an outbox and an inbox there.
   *
   * @returns also what counts the team's routes, which no measurement has
   */
  async function openBeside(table: string) {
    const opened = openPostgresOutbox();
    const { url, schema } = opened;
    const theirs = `"${schema}".${table}`;
    await runSql(
      url,
      `create schema "${schema}";
        create table ${theirs} (route text, driver text, quantity int);
        insert into ${theirs} select 'r' || n, 'd', n from generate_series(1, 50) as n`,
    );
    const count = async () => (await runSql(url, `select * from ${theirs}`)).length;
    const tables = async () =>
      (await runSql(url, `select tablename from pg_tables where schemaname = '${schema}'`)).length;
    return { ...opened, count, tables };
  }

  test("loses no row of them", async () => {
    const { outbox, driver, clock, count } = await openBeside("routes");
    await outbox.append(errorOf("one"), "browser");
    await filerOf(outbox).file();
    await pruneRows(driver, filedBounds, String(clock.now));
    expect([await count(), await countIn(outbox)]).toEqual([50, 1]);
  });

  test("is not used where one has the name of one of ours, and that is said", async () => {
    const { outbox, driver, count, tables, lines } = await openBeside("signpost_routes");
    const refused = { name: "OutboxError", message: /^The table signpost_routes is there already/ };
    const named = { ...refused, message: expect.stringMatching(refused.message) };
    await expect(outbox.append(errorOf("one"), "browser")).rejects.toMatchObject(named);
    await expect(pruneRows(driver)).rejects.toMatchObject(named);
    expect(await statsOf(outbox)).toMatchObject({ writable: false, reason: named.message });
    expect(lines).toMatchObject([{ level: "error", fields: { reason: named.message } }]);
    expect([await count(), await tables()]).toEqual([50, 1]);
  });
});

describe.each(engines)("the bounds of what is filed in %s", (_, open) => {
  test("processes that look at the bounds at the same time remove no more than one would", async () => {
    const { outbox, another, clock } = open();
    for (let n = 0; n < 40; n += 1) {
      clock.now += 1;
      await outbox.append(errorOf(`number ${n}`), "browser");
    }
    await filerOf(outbox).file();
    const all = [outbox, another(), another()];
    const over = boundsOf("errors", { count: 30 });
    await Promise.all(all.map(({ driver }) => pruneRows(driver, over, String(clock.now))));
    expect(await countIn(outbox)).toBe(30);
    const later = clock.now + filedBounds.errors.ageMs - 9;
    await Promise.all(all.map(({ driver }) => pruneRows(driver, over, String(later))));
    expect(await countIn(outbox)).toBe(10);
  });

  test("rows that another process removed after they were counted are not removed again", async () => {
    const { outbox, driver, another, clock } = open();
    for (let n = 0; n < 40; n += 1) {
      clock.now += 1;
      await outbox.append(errorOf(`number ${n}`), "browser");
    }
    await filerOf(outbox).file();
    const over = boundsOf("errors", { count: 30 });
    const other = another().driver;
    let counted = 0;
    const overtaken: Pick<Driver, "read" | "transaction" | "dialect"> = {
      dialect: driver.dialect,
      transaction: (statements) => driver.transaction(statements),
      async read<R extends object>(statement: Statement) {
        const found = await driver.read<R>(statement);
        if (/count\(.*\{errors\}/s.test(statement.text) && counted++ === 0) {
          await pruneRows(other, over, String(clock.now));
        }
        return found;
      },
    };
    await pruneRows(overtaken, over, String(clock.now));
    expect(counted).toBeGreaterThan(0);
    expect(await countIn(outbox)).toBe(30);
  });

  test("what one sender sends, however much, pushes out nothing of an earlier visitor's", async () => {
    const { outbox, driver, clock } = open();
    const filer = filerOf(outbox, { resolve: placed });
    const send = async (sender: string, column: number) => {
      clock.now += 1;
      const trace = { trace_id: someEventId(), op: "pageload", span_id: "a".repeat(16) };
      const visit = {
        transaction: `/${sender}`,
        contexts: { trace },
        start_timestamp: 1,
        timestamp: 2,
      };
      const all = [
        thrownIn("static/chunks/a", column, { release: "b2", transaction: `/${column}` }),
        envelope([["feedback", feedbackEvent(`of ${sender}`)]]),
        envelope([["transaction", visit]]),
      ];
      await Promise.all(all.map((one) => outbox.append(one, "browser", { senderKey: sender })));
    };
    const names = ["kept_reports", "errors", "error_variants", "stacks", "feedback"] as const;
    const tables = [...names, "measurements"] as const;
    const counts = () => Promise.all(tables.map((table) => countIn(outbox, table)));
    await send("early", 1);
    await filer.file();
    const early = await counts();
    expect(Math.min(...early)).toBeGreaterThan(0);
    for (let n = 2; n < 32; n += 1) await send("flooder", n);
    await send("late", 32);
    await filer.file();
    const bounds = Object.fromEntries(
      tables.map((table, i) => [table, { ...filedBounds[table], count: 10 * (early[i] ?? 0) }]),
    ) as FiledBounds;
    await pruneRows(driver, bounds, String(clock.now));
    expect(await counts()).toEqual(early.map((count) => 10 * count));
    const bySender = await Promise.all(
      tables.map((table) =>
        driver.read<{ count: number }>({
          text: `select count(*) as count from {${table}} group by sender order by count(*)`,
        }),
      ),
    );
    // The flooder has what the others leave.
    expect(bySender.map((rows) => rows.map(({ count }) => count))).toEqual(
      early.map((count) => [count, count, 8 * count]),
    );
  });

  test("stacks of browsers' errors, however many, leave the server's their share", async () => {
    const { outbox, driver, clock } = open();
    const filer = filerOf(outbox, { resolve: placed });
    const file = async (origin: "browser" | "server", from: number) => {
      for (let n = from; n < from + 40; n += 1) {
        clock.now += 1;
        await outbox.append(thrownIn("server/pages/a", n, { release: "b2" }), origin);
      }
      await filer.file();
    };
    const bytes = async (where = "1 = 1") => {
      const text = `select cast(coalesce(sum(s.size), 0) as bigint) as bytes from {stacks} as s
        where exists (select 1 from {errors} as e where e.stack_id = s.id and ${where})`;
      return (await driver.read<{ bytes: number }>({ text }))[0]?.bytes ?? 0;
    };
    const server = () => bytes("e.origin = 'server'");
    await file("server", 1);
    const whole = await server();
    await file("browser", 1000);
    // All of the server's are within a quarter.
    await pruneRows(driver, boundsOf("stacks", { bytes: whole * 4 }), String(clock.now));
    await file("browser", 2000);
    await file("browser", 3000);
    await file("browser", 4000);
    await pruneRows(driver, boundsOf("stacks", { bytes: whole * 4 }), String(clock.now));
    expect(await server()).toBe(whole);
    expect(await bytes()).toBeLessThanOrEqual(whole * 4);
    // Beyond their quarter, the oldest go, whosever they are.
    await pruneRows(driver, boundsOf("stacks", { bytes: whole }), String(clock.now));
    expect(await server()).toBeLessThan(whole / 3);
    expect(await bytes()).toBeLessThanOrEqual(whole);
    expect(await bytes("e.origin = 'browser'")).toBeGreaterThan(0);
  });

  test("the newest errors are kept, by number, bytes and age, and decisions outlive them", async () => {
    const { outbox, driver, clock } = open();
    const filer = filerOf(outbox, { resolve: found });
    for (let n = 0; n < 30; n += 1) {
      clock.now += 1;
      const frame = thrownIn("static/chunks/a", 1, { fingerprint: [`${n}`], release: "b2" });
      await outbox.append(frame, "browser");
    }
    await filer.file();
    const newest = (await sourcesOf(outbox).groups.page(anyError)).groups[0];
    const oldest = (await sourcesOf(outbox).groups.page(anyError)).groups.at(-1);
    await decide(driver, oldest?.id ?? "", "ignored", clock.now);
    const prune = (
      table: keyof FiledBounds = "errors",
      over: Partial<FiledBounds["errors"]> = {},
      now = clock.now,
    ) => pruneRows(driver, boundsOf(table, over), String(now));
    await outbox.append(thrownIn("static/chunks/a", 1, { fingerprint: ["29"] }), "browser");
    await filer.file();
    await prune("errors", { count: 20 });
    expect(await countIn(outbox)).toBe(20);
    expect((await sourcesOf(outbox).groups.page(anyError)).groups[0]).toMatchObject({
      id: newest?.id,
      count: 2,
    });
    expect((await sourcesOf(outbox).groups.page(anyError)).groups[0]?.id).toBe(newest?.id);
    await prune("errors", { bytes: 5_000 });
    expect(await countIn(outbox)).toBeGreaterThan(3);
    expect(await countIn(outbox)).toBeLessThan(15);
    const stacks = () => countIn(outbox, "stacks");
    expect(await stacks()).toBe(1);
    await prune("stacks", { bytes: 10 });
    expect(await stacks()).toBe(0);
    await prune("errors", {}, clock.now + filedBounds.errors.ageMs + 1);
    expect(await countIn(outbox)).toBe(0);
    expect(await decisionsIn(driver)).toMatchObject([{ group: oldest?.id, state: "ignored" }]);
  });

  test("whole reports are kept, those of low priority go first, and the server's have a share", async () => {
    const { outbox, driver, clock } = open();
    const filer = filerOf(outbox);
    const append = async (count: number, origin: Origin, one: () => Uint8Array) => {
      for (let n = 0; n < count; n += 1) {
        clock.now += 1;
        await outbox.append(one(), origin);
      }
      await filer.file();
    };
    const odd = () => envelope([["transaction", { neither: true }]]);
    await append(10, "server", () => errorOf("of the server's"));
    await append(20, "browser", () => errorOf("of a browser"));
    await append(20, "browser", odd);
    const left = async () => {
      const rows = await driver.read<{ origin: string; low: number; count: number }>({
        text: `select origin, low, count(*) as count from {kept_reports}
          group by origin, low order by low, origin`,
      });
      return rows.map(({ origin, low, count }) => [origin, low, count]);
    };
    const prune = (over: Partial<FiledBounds["errors"]>, now = clock.now) =>
      pruneRows(driver, boundsOf("kept_reports", over), String(now));
    await prune({ count: 35 });
    expect(await left()).toEqual([
      ["browser", 0, 20],
      ["server", 0, 10],
      ["browser", 1, 5],
    ]);
    // What could not be read is known as long as the report is there.
    expect(await sourcesOf(outbox).reports.counts()).toMatchObject({ reports: 35, unreadable: 5 });
    await prune({ count: 30 });
    expect(await left()).toEqual([
      ["browser", 0, 20],
      ["server", 0, 10],
    ]);
    await prune({ count: 20 });
    expect(await left()).toEqual([
      ["browser", 0, 15],
      ["server", 0, 5],
    ]);
    await prune({ bytes: 8 * 1500 });
    expect((await left()).map(([origin]) => origin)).toEqual(["browser", "server"]);
    expect(await countIn(outbox, "kept_reports")).toBeLessThan(10);
    await prune({}, clock.now + filedBounds.kept_reports.ageMs + 1);
    expect([await left(), await countIn(outbox)]).toEqual([[], 30]);
  });

  test("however much comes in, what is kept stays within its bounds", async () => {
    const { outbox } = open({ clock: { now: Date.now() } });
    const bounds = boundsOf("kept_reports", { bytes: 1024 * 1024 });
    const filer = filerOf(outbox, { bounds });
    const text = "x".repeat(500_000);
    for (let n = 0; n < 60; n += 1) {
      await outbox.append(errorOf("flood", { extra: { text } }), "browser");
      await filer.file();
    }
    // Each look at the bounds comes after 8 MiB.
    expect(await countIn(outbox, "kept_reports")).toBeLessThan(22);
    expect(await countIn(outbox)).toBe(60);
  });

  test("a report of which the rows are tried again comes in once", async () => {
    const { outbox } = open({ clock: { now: Date.now() } });
    const bounds = boundsOf("kept_reports", { count: 0 });
    const { destination, file } = filerOf(outbox, { bounds });
    const rows = destination.rows?.bind(destination);
    destination.rows = (taken) => [taken, taken, taken].map((same) => rows?.(same) ?? [])[2] ?? [];
    for (const length of [3_000_000, 1]) {
      await outbox.append(errorOf("large", { extra: { text: "x".repeat(length) } }), "browser");
      await file();
    }
    // So much calls for no look at the bounds, which would leave none.
    expect(await countIn(outbox, "kept_reports")).toBe(2);
  });
});
