import { describe, expect, it } from "vitest";
import { insertAll } from "@/packages/relay/src/outbox/driver";
import type { TableSet } from "@/packages/relay/src/outbox/tables";
import { drivers } from "@/tests/support/drivers";
import { namesIn, thing, thingTables } from "@/tests/support/things";

const boxTables: TableSet = {
  name: "boxes",
  migrations: [{ version: 1, statements: () => [{ text: "create table {boxes} (name text)" }] }],
};

describe.each(drivers)("a driver of %s", (_, open) => {
  it("runs statements in order, and gives the rows of each", async () => {
    const { driver } = open(thingTables);
    const results = await driver.transaction([
      thing("one", 1),
      { text: "update {things} set number = number + $1", values: [41] },
      { text: "select name, number, bytes from {things}" },
      {
        text: "delete from {things} where number = $2 and name = $1 returning name",
        values: ["one", 42],
      },
      { text: "select name from {things}" },
    ]);
    const row = { name: "one", number: 42, bytes: null };
    expect(results).toEqual([[], [], [row], [{ name: "one" }], []]);
  });

  it("takes a value as often as a statement names it, in any order", async () => {
    const { driver } = open(thingTables);
    await driver.transaction([thing("one", 7), thing("two", 8)]);
    const text = `select name from {things}
      where (number = $2 or number = $2 + 1) and name <> $1 and number / 2 <> $2`;
    expect(await driver.read({ text, values: ["two", 7] })).toEqual([{ name: "one" }]);
  });

  it("writes all of a transaction, or nothing", async () => {
    const { driver, another } = open(thingTables);
    await driver.transaction([thing("one")]);
    const group = [thing("two"), thing("one"), thing("three")];
    await expect(driver.transaction(group)).rejects.toMatchObject({
      name: "OutboxError",
      fault: "malformed",
      message: "The report can't be stored.",
    });
    await expect(driver.transaction([thing("four"), thing(null)])).rejects.toMatchObject({
      fault: "malformed",
    });
    await driver.transaction([thing("five")]);
    expect(await namesIn(another())).toEqual(["one", "five"]);
  });

  it("keeps bytes as they are, also those that share a buffer with others", async () => {
    const { driver } = open(thingTables);
    const pool = Uint8Array.from({ length: 5000 }, (_, i) => i);
    const parts = [pool.subarray(10, 3000), pool.subarray(0, 1), pool.subarray(5, 5), pool];
    await driver.transaction(parts.map((part, n) => thing(`${n}`, n, part)));
    expect(pool[4999]).toBe(4999 & 255);
    const rows = await driver.read<{ bytes: Uint8Array }>({
      text: "select bytes from {things} order by number",
    });
    expect(rows.map(({ bytes }) => [...bytes])).toEqual(parts.map((part) => [...part]));
    const text = "update {things} set bytes = $1 where number = $2 returning bytes";
    const [changed] = await driver.transaction([{ text, values: [Buffer.from("new"), 0] }]);
    expect(Buffer.from(changed?.[0]?.bytes as Uint8Array).toString()).toBe("new");
  });

  it("reads integers as numbers, and sums of them", async () => {
    const { driver } = open(thingTables);
    const large = [2 ** 31, 2 ** 53 - 1, -(2 ** 40)];
    await driver.transaction(large.map((number, n) => thing(`${n}`, number)));
    const [all, sums] = await driver.transaction([
      { text: "select number from {things} order by id" },
      {
        text: "select count(*) as count, sum(number) as sum from {things} where number < $1",
        values: [2 ** 40],
      },
    ]);
    expect(all?.map(({ number }) => number)).toEqual(large);
    expect(sums?.[0]).toEqual({ count: 2, sum: 2 ** 31 - 2 ** 40 });
  });

  it("divides integers as integers", async () => {
    const { driver } = open(thingTables);
    await driver.transaction([thing("one", 7)]);
    const text = "select number / $1 as half from {things}";
    expect(await driver.read({ text, values: [2] })).toEqual([{ half: 3 }]);
  });

  it("inserts thousands of rows", async () => {
    const { driver } = open(thingTables);
    const rows = Array.from({ length: 4000 }, (_, n) => ({ name: `${n}`, number: n, bytes: null }));
    await driver.transaction(insertAll("things", [...rows, ...rows]));
    expect(await namesIn(driver)).toEqual(rows.map(({ name }) => name));
  });

  it("has a clock in milliseconds that stands still during a statement", async () => {
    const { driver } = open(thingTables);
    const { now } = driver.dialect;
    const [row] = await driver.read<{ now: number; same: unknown }>({
      text: `select ${now} as now, case when ${now} = ${now} then 1 else 0 end as same`,
    });
    expect(row?.same).toBe(1);
    expect(Number.isSafeInteger(row?.now)).toBe(true);
    expect(Math.abs(Date.now() - (row?.now ?? 0))).toBeLessThan(60_000);
  });

  it("gives no id twice", async () => {
    const { driver } = open(thingTables);
    const ids = async () => {
      const text = "insert into {things} (name) values ('one') returning id";
      const [rows] = await driver.transaction([{ text }, { text: "delete from {things}" }]);
      return rows?.[0]?.id;
    };
    expect(await ids()).not.toBe(await ids());
  });

  it("lets several use one store, and has it created once", async () => {
    const { driver, another, lines } = open(thingTables);
    const all = [driver, ...Array.from({ length: 4 }, () => another())];
    const writes = all.flatMap((each, n) =>
      Array.from({ length: 20 }, (_, i) => each.transaction([thing(`${n}.${i}`)])),
    );
    await Promise.all(writes);
    expect(new Set(await namesIn(driver)).size).toBe(100);
    expect(lines.filter(({ level }) => level !== "info")).toEqual([]);
  });

  it("creates a set of tables that comes later beside those that are there", async () => {
    const { driver, another } = open(thingTables);
    await driver.transaction([thing("one")]);
    const both = another([...thingTables, boxTables]);
    await both.transaction([thing("two"), { text: "insert into {boxes} (name) values ('three')" }]);
    // Of a process that knows nothing of the other set.
    await another().transaction([thing("four")]);
    expect(await namesIn(both)).toEqual(["one", "two", "four"]);
  });

  it("leaves a table alone that somebody else has made, and creates none beside it", async () => {
    const { driver, another, run } = open([...thingTables, boxTables]);
    await run((table) => `create table ${table("boxes")} (name text)`);
    await run((table) => `insert into ${table("boxes")} (name) values ('theirs')`);
    await expect(driver.transaction([{ text: "delete from {boxes}" }])).rejects.toMatchObject({
      fault: "unwritable",
      message: expect.stringContaining("The table signpost_boxes is there already"),
    });
    // Those of others are no hindrance: what is asked for next is created, and the row is there.
    const things = another(thingTables);
    await things.transaction([thing("one")]);
    const [count] = await things.read({ text: "select count(*) as count from {boxes}" });
    expect(count).toEqual({ count: 1 });
  });

  it("tells a mistake in SQL from a fault of what it holds, and goes on", async () => {
    const { driver } = open(thingTables);
    await driver.transaction([thing("one")]);
    for (const text of ["selec 1", "select nothing from {things}"]) {
      await expect(driver.read({ text })).rejects.toMatchObject({ fault: "unwritable" });
    }
    await driver.transaction([thing("two")]);
    expect(await namesIn(driver)).toEqual(["one", "two"]);
  });

  it("ends what was asked for before it closes, and refuses what comes later", async () => {
    const { driver, another } = open(thingTables);
    const writes = ["one", "two"].map((name) => driver.transaction([thing(name)]));
    const closed = driver.close();
    await Promise.all([...writes, closed, driver.close()]);
    expect((await namesIn(another())).sort()).toEqual(["one", "two"]);
    await expect(driver.transaction([thing("three")])).rejects.toMatchObject({
      name: "OutboxError",
      fault: "unwritable",
    });
  });

  it("can be closed before it was used", async () => {
    const { driver } = open(thingTables);
    await driver.close();
    await expect(driver.read({ text: "select 1" })).rejects.toThrow();
  });
});
