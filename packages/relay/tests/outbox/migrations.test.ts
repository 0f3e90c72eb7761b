import { describe, expect, it } from "vitest";
import type { Driver } from "@/packages/relay/src/outbox/driver";
import type { Migration, TableSet } from "@/packages/relay/src/outbox/tables";
import { drivers } from "@/tests/support/drivers";
import { engines, envelopesIn, statsOf } from "@/tests/support/outboxes";
import { errorEnvelope } from "@/tests/support/sdk-envelopes";
import {
  coloured,
  coloursIn,
  namesIn,
  renamed,
  thing,
  thingsAfter,
  thingTables,
} from "@/tests/support/things";

const object = (name: string) => ({
  text: "insert into {objects} (name) values ($1)",
  values: [name],
});

async function objectsIn(driver: Driver): Promise<string[]> {
  const text = "select name from {objects} order by id";
  return (await driver.read<{ name: string }>({ text })).map(({ name }) => name);
}

function refusal(found: number, known: number, advice: string) {
  const reason = `The tables of the things are of version ${found}, and this build knows version ${known}. ${advice}`;
  return { fault: "unwritable", message: expect.stringContaining(reason) };
}

describe.each(drivers)("tables of an older version in %s", (_, open) => {
  it("become those of this build with what is in them, and the log says so", async () => {
    const { driver, another, lines } = open(thingTables);
    await driver.transaction([thing("one")]);
    const newer = another(thingsAfter(coloured));
    await newer.transaction([thing("two")]);
    expect(await coloursIn(newer)).toEqual([4, 3]);
    expect(await newer.read({ text: "select number from {colours}" })).toEqual([]);
    expect(lines.at(-1)).toMatchObject({
      level: "info",
      event: "outbox tables migrated",
      fields: { tables: "things", from: 7, to: 8 },
    });
  });

  it("are migrated once by several servers that start at once, whatever they knew before", async () => {
    const { driver, another, lines } = open(thingTables);
    await driver.transaction([thing("one")]);
    const schemas = [thingsAfter(coloured), thingsAfter(coloured, renamed)];
    const servers = [0, 1, 0, 1].map((n) => another(schemas[n]));
    await Promise.allSettled(servers.map((server) => server.read({ text: "select 1" })));
    expect(await objectsIn(another(schemas[1]))).toEqual(["one"]);
    const migrated = lines.filter(({ event }) => event === "outbox tables migrated");
    // Who has committed the first may tell of it last.
    expect(migrated.map(({ fields }) => fields.to).toSorted()).toEqual([8, 9]);
  });

  it("are those that a new store gets at once", async () => {
    const { driver } = open(thingsAfter(coloured, renamed));
    await driver.transaction([object("one")]);
    expect(await objectsIn(driver)).toEqual(["one"]);
  });

  it("can be used by the build of before as well, while that runs and after it starts again", async () => {
    const { driver, another } = open(thingTables);
    await driver.transaction([thing("one")]);
    const newer = another(thingsAfter(coloured));
    await newer.transaction([thing("two")]);
    await driver.transaction([thing("three")]);
    const back = another();
    await back.transaction([thing("four"), { text: "update {things} set number = 1" }]);
    expect(await namesIn(back)).toEqual(["one", "two", "three", "four"]);
    expect(await coloursIn(newer)).toEqual([4, 3, 3, 3]);
  });

  it("are refused to the build of before where it can't use them, before it writes", async () => {
    const { driver, another } = open(thingTables);
    await driver.transaction([thing("one")]);
    const newer = another(thingsAfter(coloured, renamed));
    await newer.transaction([object("two")]);
    const refused = refusal(9, 7, "Deploy a newer build");
    // One that runs, one that starts, and one that knows a part.
    for (const server of [driver, another()]) {
      await expect(server.transaction([thing("three")])).rejects.toMatchObject(refused);
    }
    const between = another(thingsAfter(coloured));
    await expect(between.transaction([thing("four")])).rejects.toMatchObject(
      refusal(9, 8, "Deploy a newer build"),
    );
    expect(await objectsIn(newer)).toEqual(["one", "two"]);
  });

  it("are refused where they are older than any that was released", async () => {
    const { driver, another, run } = open(thingTables);
    await driver.transaction([thing("one")]);
    await run((table) => `update ${table("versions")} set version = 6`);
    await expect(another().transaction([thing("two")])).rejects.toMatchObject(
      refusal(6, 7, "Deploy the build that has made them"),
    );
  });

  it("stay as they are where a migration fails", async () => {
    const { driver, another } = open(thingTables);
    await driver.transaction([thing("one")]);
    const { statements } = coloured;
    const failing: Migration = {
      version: 8,
      statements: (dialect) => [...statements(dialect), { text: "update {nothing} set a = 1" }],
    };
    await expect(another(thingsAfter(failing)).transaction([thing("two")])).rejects.toMatchObject({
      fault: "unwritable",
    });
    await driver.transaction([thing("three")]);
    expect(await coloursIn(another(thingsAfter(coloured)))).toEqual([4, 4]);
  });

  it("get no table of a name that is somebody else's", async () => {
    const { driver, another, run } = open(thingTables);
    await driver.transaction([thing("one")]);
    await run((table) => `create table ${table("colours")} (name text)`);
    await expect(another(thingsAfter(coloured)).transaction([thing("two")])).rejects.toMatchObject({
      message: expect.stringContaining("The table signpost_colours is there already"),
    });
    await driver.transaction([thing("three")]);
    expect(await namesIn(driver)).toEqual(["one", "three"]);
  });
});

describe.each(drivers)("tables that are optional, in %s,", (_, open) => {
  const [first] = thingTables;
  const { name } = first;
  const boxes: TableSet = {
    name: "boxes",
    migrations: [{ version: 1, statements: () => [{ text: "create table {boxes} (name text)" }] }],
  };
  const withOptional: TableSet[] = [
    boxes,
    { name, migrations: [...first.migrations, coloured], isOptional: true },
  ];

  it("are not created, but migrated", async () => {
    const { driver, another } = open(withOptional);
    await driver.transaction([{ text: "select name from {boxes}" }]);
    await expect(namesIn(driver)).rejects.toThrow();
    await another([boxes, ...thingTables]).transaction([thing("one")]);
    expect(await coloursIn(another(withOptional))).toEqual([4]);
  });

  it("stop no others where they can't be migrated, and the log says so", async () => {
    const { driver, another, lines } = open([boxes, ...thingTables]);
    await driver.transaction([thing("one")]);
    const failing: Migration = { version: 8, statements: () => [{ text: "drop table {nothing}" }] };
    const failed = { name, migrations: [...first.migrations, failing], isOptional: true } as const;
    const other = another([boxes, failed]);
    await other.transaction([{ text: "insert into {boxes} (name) values ('two')" }]);
    expect(await namesIn(other)).toEqual(["one"]);
    expect(lines.at(-1)).toMatchObject({ level: "error", event: "outbox tables not migrated" });
  });

  it("stop no others where they can't be used", async () => {
    const { driver, another } = open(thingsAfter(coloured, renamed));
    await driver.transaction([object("one")]);
    const other = another(withOptional);
    await other.transaction([{ text: "insert into {boxes} (name) values ('two')" }]);
    expect(await objectsIn(driver)).toEqual(["one"]);
  });
});

it.each(engines)(
  "an outbox in %s whose tables are a newer build's says so, and writes nothing",
  async (_, open) => {
    const { outbox, lines, another, run } = open();
    const newer = another();
    await newer.append(errorEnvelope(), "browser");
    await run((table) => `update ${table("versions")} set version = 9 where name = 'outbox'`);
    const reason = expect.stringMatching(
      /^The tables of the outbox are of version 9, and this build knows version \d+\. Deploy a newer build, /,
    );
    await expect(outbox.append(errorEnvelope(), "server")).rejects.toMatchObject({
      fault: "unwritable",
      message: reason,
    });
    await expect(outbox.claim({ limit: 9, without: 0 })).rejects.toMatchObject({ message: reason });
    expect(await statsOf(outbox)).toMatchObject({ writable: false, reason });
    expect(lines).toMatchObject([
      { level: "error", event: "outbox can't be written", fields: { reason } },
    ]);
    expect(await envelopesIn(newer)).toHaveLength(1);
  },
);
