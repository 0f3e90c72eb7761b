import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Driver } from "@/packages/relay/src/outbox/driver";
import type { TableSet } from "@/packages/relay/src/outbox/tables";
import { openSqliteDriver } from "@/tests/support/drivers";
import { temporaryFolder } from "@/tests/support/outboxes";
import {
  coloured,
  coloursIn,
  namesIn,
  thing,
  thingsAfter,
  thingTables,
} from "@/tests/support/things";
import { bundleProcess } from "@/tests/support/tunnel-processes";

function open(file?: string) {
  return openSqliteDriver(thingTables, { file });
}

/** Another process, as far as SQLite's locks go. */
function otherConnection(file: string): DatabaseSync {
  const db = new DatabaseSync(file);
  onTestFinished(() => db.close());
  return db;
}

function setAside(file: string): string[] {
  return readdirSync(dirname(file)).filter((name) => /\.damaged-\w+$/.test(name));
}

/** Breaks a page in the midst. */
function damagePage(file: string): void {
  const bytes = readFileSync(file);
  const page = Math.floor(bytes.length / 4096 / 2);
  bytes.fill(0xff, page * 4096, (page + 1) * 4096);
  writeFileSync(file, bytes);
}

const boxTables: TableSet = {
  name: "boxes",
  migrations: [{ version: 1, statements: () => [{ text: "create table {boxes} (name text)" }] }],
};

/** Moves the file away, as another process does with one that is damaged. */
function moveAway(file: string): void {
  for (const part of ["", "-wal", "-shm"]) renameSync(file + part, `${file}.aside${part}`);
}

it("keeps nobody waiting while the thread is stuck, and goes on after that", async () => {
  const { driver, file } = openSqliteDriver(thingTables, { maxSilenceMs: 50 });
  await expect.poll(() => namesIn(driver).catch(() => undefined)).toEqual([]);
  const other = otherConnection(file);
  // The thread waits for this lock for two seconds.
  other.exec("begin immediate");
  const fault = { fault: "busy", message: "The disk of the outbox doesn't answer." };
  const begun = performance.now();
  const waiting = ["one", "two"].map((name) => driver.transaction([thing(name)]));
  for (const one of waiting) await expect(one).rejects.toMatchObject(fault);
  await expect(driver.transaction([thing("three")])).rejects.toMatchObject(fault);
  expect(performance.now() - begun).toBeLessThan(1500);
  // Nor the process, which would wait here until the thread is done.
  expect(driver.flushNow(20_000)).toBe(false);
  other.exec("commit");
  // The thread was in the first of them, and came to the others before this.
  await expect.poll(() => namesIn(driver).catch(() => [])).toEqual(["one"]);
});

it("is not stuck while it opens the file, which may be a large one on a slow disk", async () => {
  const { driver, file } = openSqliteDriver(thingTables, { maxSilenceMs: 300 });
  await expect.poll(() => namesIn(driver).catch(() => undefined)).toEqual([]);
  moveAway(file);
  const other = otherConnection(file);
  other.exec("pragma journal_mode = wal; begin immediate");
  const written = driver.transaction([thing("one")]);
  const failed = written.then(() => undefined, String);
  const began = performance.now();
  await expect.poll(() => performance.now() - began).toBeGreaterThan(500);
  other.exec("rollback");
  expect(await failed).toBeUndefined();
});

describe("a damaged file", () => {
  it("is set aside and logged, and a new one takes its place", async () => {
    const { driver, file, lines } = open();
    const nonsense = "this is no database, ".repeat(500);
    writeFileSync(file, nonsense);
    await driver.transaction([thing("one")]);
    expect(await namesIn(driver)).toEqual(["one"]);
    const renamedTo = `${dirname(file)}/${setAside(file)[0]}`;
    expect(readFileSync(renamedTo, "utf8")).toBe(nonsense);
    const cause = expect.stringContaining("file is not a database");
    const fields = { cause, renamedTo, rowsKept: 0 };
    expect(lines).toEqual([{ level: "error", event: "outbox file damaged", fields }]);
    expect(driver.damagedFiles).toBe(1);
  });

  it("is found where a broken page is read, and the other rows are kept", async () => {
    const first = open();
    const words = Array.from({ length: 300 }, (_, n) => `word ${n}`);
    const bytesOf = (word = "") => Buffer.from(`${word}:`.padEnd(500, "x"));
    await first.driver.transaction(words.map((word) => thing(word, 1, bytesOf(word))));
    await first.driver.close();
    const bytes = readFileSync(first.file);
    const page = Math.floor(bytes.indexOf(bytesOf(words[150])) / 4096);
    bytes.fill(0xff, page * 4096, (page + 1) * 4096);
    writeFileSync(first.file, bytes);
    const { driver, lines } = open(first.file);
    await driver.transaction([thing("one")]);
    expect(setAside(first.file)).toEqual([]);
    const names = await namesIn(driver);
    expect(names).toEqual([...words.filter((word) => names.includes(word)), "one"]);
    // A page has seven or eight of them.
    expect(names.length).toBeGreaterThan(290);
    expect(names).not.toContain(words[150]);
    expect(setAside(first.file)).toHaveLength(1);
    expect(lines).toMatchObject([{ fields: { rowsKept: names.length } }]);
  });

  it("is set aside once by several servers that start and write at once, and what can be read is kept", async () => {
    const words = Array.from({ length: 300 }, (_, n) => `word ${n}`);
    for (let round = 0; round < 8; round++) {
      const { driver, file } = open();
      await driver.transaction(words.map((word) => thing(word, 1, Buffer.alloc(500, "x"))));
      await driver.close();
      damagePage(file);
      const servers = [1, 2, 3].map((server) => ({ server, ...open(file) }));
      // While one copies what can be read, the others may be refused.
      const write = (its: Driver, name: string) =>
        expect
          .poll(() =>
            its.transaction([thing(name)]).then(
              () => "written",
              ({ fault }) => fault,
            ),
          )
          .not.toBe("busy");
      await Promise.all(
        servers.flatMap(({ server, driver: its }) => [
          namesIn(its).catch(() => {}),
          ...[1, 2, 3, 4, 5].map((n) => write(its, `new ${server}.${n}`)),
        ]),
      );
      const names = await namesIn(servers[0]?.driver as Driver);
      expect(names.filter((name) => name.startsWith("new"))).toHaveLength(15);
      // A page has seven or eight of them.
      const kept = names.filter((name) => name.startsWith("word")).length;
      expect(kept).toBeGreaterThan(290);
      expect(setAside(file)).toHaveLength(1);
      const lines = servers.flatMap((each) => each.lines);
      expect(lines.filter(({ event }) => event === "outbox file damaged")).toHaveLength(1);
    }
  });

  it.each<[name: string, made: readonly TableSet[], opened: readonly TableSet[], colour: number]>([
    ["an older", thingTables, thingsAfter(coloured), 4],
    ["a newer", thingsAfter(coloured), thingTables, 4],
  ])(
    "of %s version gives back its rows as the next migration wants them",
    async (_, made, opened, colour) => {
      const first = openSqliteDriver(made);
      const words = Array.from({ length: 300 }, (_, n) => `word ${n}`);
      await first.driver.transaction(words.map((word) => thing(word, 1, Buffer.alloc(500, "x"))));
      await first.driver.close();
      damagePage(first.file);
      const { driver } = openSqliteDriver(opened, { file: first.file });
      await namesIn(driver);
      await driver.transaction([thing("one")]);
      expect((await namesIn(driver)).length).toBeGreaterThan(290);
      expect(setAside(first.file)).toHaveLength(1);
      await driver.close();
      const { driver: newer } = openSqliteDriver(thingsAfter(coloured), { file: first.file });
      expect(new Set((await coloursIn(newer)).slice(0, 290))).toEqual(new Set([colour]));
    },
  );

  it("takes nothing from a later server whose tables were in it as well", async () => {
    const both = [...thingTables, boxTables];
    const first = openSqliteDriver(both);
    const words = Array.from({ length: 300 }, (_, n) => `word ${n}`);
    await first.driver.transaction(words.map((word) => thing(word, 1, Buffer.alloc(500, "x"))));
    await first.driver.close();
    damagePage(first.file);
    await namesIn(open(first.file).driver);
    const { driver } = openSqliteDriver(both, { file: first.file });
    await driver.transaction([{ text: "insert into {boxes} values ('four')" }]);
    expect(await driver.read({ text: "select name from {boxes}" })).toEqual([{ name: "four" }]);
  });

  it("is set aside while it is open if it loses its end", async () => {
    const { driver, file } = open();
    await driver.transaction([thing("one")]);
    otherConnection(file).exec("pragma wal_checkpoint(truncate)");
    truncateSync(file, 100);
    for (const name of ["two", "three", "four"]) await driver.transaction([thing(name)]);
    expect(await namesIn(driver)).toEqual(expect.arrayContaining(["two", "three", "four"]));
  });
});

it("keeps all rows where only an index is damaged", async () => {
  const first = open();
  const words = Array.from({ length: 300 }, (_, n) => `${n}:`.padEnd(50, "x"));
  await first.driver.transaction(words.map((word) => thing(word, 1, Buffer.from(word))));
  const [index] = await first.driver.read<{ rootpage: number }>({
    text: "select rootpage from sqlite_master where name like 'sqlite_autoindex_signpost_things%'",
  });
  await first.driver.close();
  const bytes = readFileSync(first.file);
  bytes.fill(0xff, ((index?.rootpage ?? 0) - 1) * 4096, ((index?.rootpage ?? 0) - 1) * 4096 + 3);
  writeFileSync(first.file, bytes);
  const { driver } = open(first.file);
  expect(await namesIn(driver)).toEqual(words);
  await driver.transaction([thing("one")]);
  expect(driver.damagedFiles).toBe(1);
});

describe("a file that is gone", () => {
  it("is created anew when it is deleted, and the log says so", async () => {
    const { driver, file, lines } = open();
    await driver.transaction([thing("one")]);
    rmSync(dirname(file), { recursive: true });
    await driver.transaction([thing("two")]);
    expect(await namesIn(open(file).driver)).toEqual(["two"]);
    expect(lines).toEqual([{ level: "error", event: "outbox file replaced", fields: { file } }]);
  });

  it("is left for the one that another process put in its place", async () => {
    const { driver, file } = open();
    await driver.transaction([thing("one")]);
    moveAway(file);
    await open(file).driver.transaction([thing("two")]);
    expect(await namesIn(driver)).toEqual(["two"]);
    await driver.transaction([thing("three")]);
    expect(await namesIn(open(file).driver)).toEqual(["two", "three"]);
  });

  it("is not taken for gone while the path can't be looked up", async () => {
    const { driver, file, lines } = open();
    await driver.transaction([thing("one")]);
    const folder = dirname(file);
    renameSync(folder, `${folder}.away`);
    symlinkSync(folder, folder);
    await expect(driver.transaction([thing("two")])).rejects.toMatchObject({ fault: "unwritable" });
    rmSync(folder);
    renameSync(`${folder}.away`, folder);
    await driver.transaction([thing("three")]);
    expect(await namesIn(driver)).toEqual(["one", "three"]);
    expect(lines).toEqual([]);
  });
});

describe("a file that can't be written", () => {
  it("is refused while something is in its folder's place, and used again after that", async () => {
    const { driver, file } = open();
    const folder = dirname(file);
    await driver.transaction([thing("one")]);
    renameSync(folder, `${folder}.away`);
    writeFileSync(folder, "in the way");
    await expect(driver.transaction([thing("two")])).rejects.toMatchObject({ fault: "unwritable" });
    rmSync(folder);
    renameSync(`${folder}.away`, folder);
    const tryAgain = () => driver.transaction([thing("three")]).then(() => "written", String);
    await expect.poll(tryAgain).toBe("written");
    expect(await namesIn(driver)).toEqual(["one", "three"]);
  });

  it("is waited for while another process writes", async () => {
    const { driver, file } = open();
    await driver.transaction([thing("one")]);
    const other = otherConnection(file);
    other.exec("begin immediate");
    const written = driver.transaction([thing("two")]);
    let isWritten = false;
    void written.then(() => {
      isWritten = true;
    });
    // Past its first attempts.
    const began = performance.now();
    await expect.poll(() => performance.now() - began).toBeGreaterThan(50);
    expect(isWritten).toBe(false);
    other.exec("commit");
    await written;
    expect(await namesIn(driver)).toEqual(["one", "two"]);
  });

  it("is waited for while another process makes a new one", async () => {
    const { driver, file } = open();
    const other = otherConnection(file);
    other.exec("begin immediate");
    const written = driver.transaction([thing("one")]);
    // That one takes its time.
    setTimeout(() => other.exec("commit"), 500);
    await written;
    expect(await namesIn(driver)).toEqual(["one"]);
  });

  it("is waited for while another process has it over and over, with short pauses", async () => {
    const { driver, file } = open();
    await driver.transaction([thing("one")]);
    const other = otherConnection(file);
    other.exec("pragma busy_timeout = 5000");
    const names = Array.from({ length: 10 }, (_, n) => `${n}`);
    for (const name of names) {
      let isOver = false;
      other.exec("begin immediate");
      const written = driver.transaction([thing(name)]).finally(() => {
        isOver = true;
      });
      while (!isOver) {
        await delay(150);
        other.exec("commit");
        await delay(10);
        other.exec("begin immediate");
      }
      other.exec("commit");
      await written;
    }
    expect(await namesIn(driver)).toEqual(["one", ...names]);
  });

  it("is refused after a while where the other one doesn't let go, and then used again", async () => {
    const { driver, file } = open();
    await driver.transaction([thing("one")]);
    const other = otherConnection(file);
    other.exec("begin immediate");
    await expect(driver.transaction([thing("two")])).rejects.toMatchObject({
      name: "OutboxError",
      fault: "busy",
      message: "Another process blocks the outbox.",
    });
    expect(await namesIn(driver)).toEqual(["one"]);
    other.exec("rollback");
    await driver.transaction([thing("three")]);
    expect(await namesIn(driver)).toEqual(["one", "three"]);
  });

  it("is full when the disk is, and loses nothing", async () => {
    const { driver, file } = open();
    await driver.transaction([thing("one"), { text: "pragma max_page_count = 20" }]);
    const large = thing("two", 2, Buffer.alloc(100_000));
    await expect(driver.transaction([thing("three"), large])).rejects.toMatchObject({
      fault: "full",
      message: "The disk is full.",
    });
    await driver.transaction([thing("four")]);
    await driver.read({ text: "pragma max_page_count = 100000" });
    await driver.transaction([large]);
    expect(await namesIn(open(file).driver)).toEqual(["one", "four", "two"]);
  });

  it("is refused while its folder is none, at once for a second, and used once it is one", async () => {
    const { driver, file } = open();
    const folder = dirname(file);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "in the way");
    const message = expect.stringMatching(/must be one that the server's user may write\.$/);
    const refused = { fault: "unwritable", message };
    await expect(driver.transaction([thing("one")])).rejects.toMatchObject(refused);
    rmSync(folder);
    await expect(driver.read({ text: "select 1" })).rejects.toMatchObject(refused);
    const tryAgain = () => driver.transaction([thing("two")]).then(() => "written", String);
    await expect.poll(tryAgain).toBe("written");
    expect(await namesIn(driver)).toEqual(["two"]);
  });

  it("is refused at once where its folder can't be made, and used once it can", async () => {
    const parent = join(temporaryFolder(), "parent");
    writeFileSync(parent, "in the way");
    const { driver } = open(join(parent, "data", "outbox.db"));
    const refused = { fault: "unwritable", message: expect.stringMatching(/^The data folder /) };
    await expect(driver.transaction([thing("one")])).rejects.toMatchObject(refused);
    rmSync(parent);
    const tryAgain = () => driver.transaction([thing("two")]).then(() => "written", String);
    await expect.poll(tryAgain).toBe("written");
    expect(statSync(parent).mode & 0o700).toBe(0o700);
    expect((statSync(join(parent, "data")).mode & 0o777).toString(8)).toBe("700");
  });

  it.runIf(process.platform === "linux").each([["/proc/signpost/data"], ["/proc"]])(
    "is refused at once in %s, where nobody can make files",
    async (folder) => {
      const { driver } = open(join(folder, "outbox.db"));
      const refused = { fault: "unwritable", message: expect.stringMatching(/^The data folder /) };
      await expect(driver.transaction([thing("one")])).rejects.toMatchObject(refused);
    },
  );

  it("is refused if it is read-only", async () => {
    const { driver, file } = open();
    await driver.transaction([thing("one")]);
    await expect(
      driver.transaction([{ text: "pragma query_only = on" }, thing("two")]),
    ).rejects.toMatchObject({ fault: "unwritable" });
    // It was opened anew.
    const tryAgain = () => driver.transaction([thing("three")]).then(() => "written", String);
    await expect.poll(tryAgain).toBe("written");
    expect(await namesIn(open(file).driver)).toEqual(["one", "three"]);
  });
});

describe("the files", () => {
  it("can be read by nobody else, and a folder that is there keeps its mode", async () => {
    const folder = join(temporaryFolder(), "new");
    const { driver, file } = open(join(folder, "outbox.db"));
    await driver.transaction([thing("one")]);
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect(mode(folder)).toBe("700");
    const files = readdirSync(folder);
    expect(files).toEqual(
      expect.arrayContaining(["", "-wal", "-shm"].map((part) => basename(file) + part)),
    );
    for (const name of files) expect([name, mode(join(folder, name))]).toEqual([name, "600"]);
    const shared = join(temporaryFolder(), "shared");
    mkdirSync(shared);
    chmodSync(shared, 0o755);
    const another = open(join(shared, "outbox.db"));
    await another.driver.transaction([thing("one")]);
    expect(mode(shared)).toBe("755");
    expect(mode(another.file)).toBe("600");
  });

  it("wait for the disk at each commit", async () => {
    const { driver } = open();
    expect(await driver.read({ text: "pragma synchronous" })).toEqual([{ synchronous: 2 }]);
    expect(await driver.read({ text: "pragma journal_mode" })).toEqual([{ journal_mode: "wal" }]);
  });

  it("stay small under constant writing", async () => {
    const { driver, file } = open();
    const bytes = Buffer.alloc(100_000);
    let largest = 0;
    for (let n = 0; n < 40; n++) {
      const group = Array.from({ length: 20 }, (_, i) => thing(`${n}.${i}`, n, bytes));
      const reading = driver.read({ text: "select sum(number) as sum from {things}" });
      await driver.transaction([
        ...group,
        { text: "delete from {things} where number < $1", values: [n] },
      ]);
      await reading;
      largest = Math.max(largest, statSync(`${file}-wal`).size);
    }
    // 80 MB were written.
    expect(largest).toBeLessThan(16 * 1024 * 1024);
    expect(statSync(file).size).toBeLessThan(16 * 1024 * 1024);
  });
});

describe("a process that ends", () => {
  const writeAndEnd = "packages/relay/tests/outbox/write-and-end.ts";

  /** Runs code in a process of its own, see write-and-end.ts. @returns how it ended */
  async function run(script: string, file: string, code: string) {
    const child = spawn(process.execPath, [script, file, code], {
      stdio: ["ignore", "ignore", code.includes("throw") ? "ignore" : "inherit"],
    });
    const [exitCode, signal] = await once(child, "exit");
    return signal ?? exitCode;
  }

  it("has written what it had asked for, if it waited for that, however it ends", async () => {
    const script = await bundleProcess(writeAndEnd);
    const ends: [code: string, end: unknown][] = [
      ["process.exit(3)", 3],
      ["process.kill(process.pid, 'SIGKILL')", "SIGKILL"],
      ["throw new Error('test')", 1],
    ];
    for (const [code, end] of ends) {
      const { driver, file } = open();
      const writes = `write("one"); write("two"); driver.flushNow(20_000); ${code}`;
      expect(await run(script, file, writes)).toBe(end);
      expect(await namesIn(driver)).toEqual(["one", "two"]);
    }
  });

  it("waits no longer than it may for a thread that is stuck, however it ends", async () => {
    const { driver, file } = open();
    await driver.transaction([thing("one")]);
    // For two seconds. After that, the process would end in another way.
    otherConnection(file).exec("begin immediate");
    const script = await bundleProcess(writeAndEnd);
    for (const end of ["process.exit(0)", "throw new Error('test')"]) {
      expect(await run(script, file, `write("two"); driver.flushNow(300); ${end}`)).toBe("SIGKILL");
    }
  });

  it("by itself ends once all is written, although the file is open", async () => {
    const { driver, file } = open();
    const code = `write("one").then(() => write("two"))`;
    expect(await run(await bundleProcess(writeAndEnd), file, code)).toBe(0);
    expect(await namesIn(driver)).toEqual(["one", "two"]);
  });
});
