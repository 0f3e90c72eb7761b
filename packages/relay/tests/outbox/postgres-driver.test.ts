import { describe, expect, inject, it, onTestFinished } from "vitest";
import { toOutboxError } from "@/packages/relay/src/outbox/postgres-faults";
import { openPostgresDriver } from "@/tests/support/drivers";
import { runSql, startPostgres } from "@/tests/support/postgres.js";
import {
  coloured,
  coloursIn,
  namesIn,
  thing,
  thingsAfter,
  thingTables,
} from "@/tests/support/things";
import { startDatabaseLine } from "./slow-database";

function open(setting: { url?: string; schema?: string } = {}) {
  return openPostgresDriver(thingTables, setting);
}

/** Runs statements as a superuser in the Postgres of the test run. */
function superuser<Row extends Record<string, unknown>>(sql: string): Promise<Row[]> {
  return runSql(inject("postgresUrl"), sql);
}

let roles = 0;

/** A role of its own, which may do nothing yet. @returns its name, and the URL with it */
async function newRole(): Promise<{ role: string; url: string }> {
  const role = `role_${process.pid}_${roles++}`;
  await superuser(`create role ${role} login password 'p@ss/word'`);
  onTestFinished(async () => {
    await superuser(`drop owned by ${role} cascade; drop role ${role}`);
  });
  const url = new URL(inject("postgresUrl"));
  url.username = role;
  url.password = encodeURIComponent("p@ss/word");
  return { role, url: url.href };
}

/** What the log tells an owner of the database to run. */
function sqlIn({ message, cause }: Error): string {
  const [, sql = message] = String(cause).split("must run: ");
  return sql;
}

async function line() {
  const opened = await startDatabaseLine(inject("postgresUrl"));
  onTestFinished(() => opened.close());
  return opened;
}

/** How many connections hold or wait for locks on the things. */
async function locksOn(schema: string): Promise<number> {
  const [row] = await superuser<{ count: string }>(
    `select count(distinct pid) as count from pg_locks
     where relation = to_regclass('"${schema}".signpost_things') and pid <> pg_backend_pid()
       and mode <> 'AccessShareLock'`,
  );
  return Number(row?.count);
}

/** Locks the things until it is told to let go, for a minute at most. */
async function lockThings(schema: string) {
  const name = `lock of ${schema}`.slice(0, 60);
  const lock = superuser(
    `set application_name = '${name}'; begin;
     lock table "${schema}".signpost_things in access exclusive mode; select pg_sleep(60); commit`,
  ).catch(() => {});
  await expect.poll(() => locksOn(schema)).toBe(1);
  return {
    async letGo() {
      const of = `from pg_stat_activity where application_name = '${name}'`;
      await superuser(`select pg_terminate_backend(pid) ${of}`);
      await lock;
    },
  };
}

describe("a database that can't be used", () => {
  it.each([
    ["has another password", (url: URL) => (url.password = "wrong-word"), "refuses the user or"],
    ["does not exist", (url: URL) => (url.pathname = "/nowhere"), "does not exist"],
    ["does not answer", (url: URL) => (url.port = "1"), "can't be reached"],
    ["is no host", (url: URL) => (url.hostname = "nowhere.invalid"), "can't be reached"],
    ["has no TLS", (url: URL) => (url.search = "sslmode=verify-full"), "has no TLS, and its URL"],
    ["has a certificate that is missing", (url: URL) => (url.search = "sslrootcert=/missing"), ""],
  ])("because it %s is said, without the password", async (_, change, reason) => {
    const url = new URL(inject("postgresUrl"));
    change(url);
    const { driver, lines } = open({ url: url.href });
    const error = await driver.transaction([thing("one")]).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: "OutboxError", fault: "unwritable" });
    expect(error.message).toContain(reason);
    const said = JSON.stringify([lines, error.message, error.cause.message, error.stack]);
    expect(said).not.toContain(decodeURIComponent(url.password));
    expect(said).not.toContain(url.password);
  });

  it.each([
    ["28000", 'no pg_hba.conf entry for host "::1", user "a", no encryption', "asks for TLS"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed certificate", "can't be verified"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unable to verify the first", "can't be verified"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "Hostname/IP does not match", "can't be verified"],
    ["EPROTO", "wrong version number", "TLS connection"],
    ["EPIPE", "broken pipe", "can't be reached"],
    ["28P01", "password authentication failed", "refuses the user"],
  ])("because of %s says so", (code, text, reason) => {
    const error = Object.assign(new Error(text), { code });
    expect(toOutboxError(error, "").message).toContain(reason);
  });

  it("refuses all at once with the same reason", async () => {
    const url = new URL(inject("postgresUrl"));
    url.port = "1";
    const { driver } = open({ url: url.href });
    const writes = Array.from({ length: 1000 }, () => driver.transaction([thing("one")]));
    const outcomes = await Promise.allSettled(writes);
    const reasons = outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason);
    expect(new Set(reasons).size).toBe(1);
    expect(reasons[0]).toMatchObject({ fault: "unwritable" });
  });

  it("for lack of rights is told which SQL to run, and works once that was run", async () => {
    const { role, url } = await newRole();
    const { driver, schema, lines } = open({ url });
    const error: Error = await driver.transaction([thing("one")]).catch((thrown) => thrown);
    const sql = `create schema "${schema}" authorization`;
    expect(error.message).toContain(`must run: ${sql} "the role in the URL"`);
    expect(JSON.stringify([lines, error.message])).not.toContain(role);
    // The log has it as it can be run.
    expect(String(error.cause)).toContain(`must run: ${sql} ${role}`);
    await superuser(sqlIn(error));
    const tryAgain = () => driver.transaction([thing("two")]).then(() => "written", String);
    await expect.poll(tryAgain).toBe("written");
    expect(await namesIn(driver)).toEqual(["two"]);
  });

  it("for lack of rights on tables of another role is told which SQL to run", async () => {
    const { schema, driver: owner } = open();
    await owner.transaction([thing("one")]);
    const { url } = await newRole();
    const { driver } = open({ url, schema });
    const error: Error = await namesIn(driver).catch((thrown) => thrown);
    await superuser(sqlIn(error));
    await expect.poll(() => namesIn(driver).catch(String)).toEqual(["one"]);
    await driver.transaction([thing("two"), { text: "delete from {things} where name = 'one'" }]);
    expect(await namesIn(owner)).toEqual(["two"]);
  });

  it("for lack of rights to change the tables of another role is told which SQL to run", async () => {
    const { schema, driver: owner } = open();
    await owner.transaction([thing("one")]);
    const { role, url } = await newRole();
    await superuser(`grant usage on schema "${schema}" to ${role};
      grant select, insert, update, delete on all tables in schema "${schema}" to ${role}`);
    const { driver } = openPostgresDriver(thingsAfter(coloured), { url, schema });
    const error: Error = await namesIn(driver).catch((thrown) => thrown);
    expect(error.message).toContain('grant "their owner" to "the role in the URL"');
    await superuser(sqlIn(error));
    await expect.poll(() => coloursIn(driver).catch(String)).toEqual([4]);
    await owner.transaction([thing("two")]);
  });

  it("because it is read-only says so, and works again once it is not", async () => {
    const { role, url } = await newRole();
    const { driver, schema } = open({ url });
    await superuser(`create schema "${schema}" authorization ${role}`);
    await driver.transaction([thing("one")]);
    await superuser(`alter role ${role} set default_transaction_read_only = on`);
    const { driver: other } = open({ url, schema });
    await expect(other.transaction([thing("two")])).rejects.toMatchObject({
      fault: "unwritable",
      message: "The database is read-only.",
    });
    expect(await namesIn(other)).toEqual(["one"]);
    await superuser(`alter role ${role} reset default_transaction_read_only`);
    const tryAgain = () => other.transaction([thing("three")]).then(() => "written", String);
    await expect.poll(tryAgain).toBe("written");
  });
});

describe("the tables", () => {
  it("are created again when they were dropped", async () => {
    const { driver, schema, lines } = open();
    await driver.transaction([thing("one")]);
    await superuser(`drop schema "${schema}" cascade`);
    await driver.transaction([thing("two")]);
    expect(await namesIn(driver)).toEqual(["two"]);
    expect(lines.map(({ event }) => event)).toEqual(Array(2).fill("outbox tables created"));
  });
});

describe("a transaction", () => {
  it("waits for the disk at its commit, whatever the role's default", async () => {
    const { role, url } = await newRole();
    await superuser(`alter role ${role} set synchronous_commit = off`);
    const { driver, schema } = open({ url });
    await superuser(`create schema "${schema}" authorization ${role}`);
    const [rows] = await driver.transaction([{ text: "show synchronous_commit" }]);
    expect(rows).toEqual([{ synchronous_commit: "on" }]);
  });

  it("is run again when it and another one wait for each other", async () => {
    const { driver } = open();
    await driver.transaction([thing("one", 0), thing("two", 0)]);
    const add = (name: string) => ({
      text: "update {things} set number = number + 1 where name = $1",
      values: [name],
    });
    const sleep = { text: "select pg_sleep(0.3)" };
    await Promise.all([
      driver.transaction([add("one"), sleep, add("two")]),
      driver.transaction([add("two"), sleep, add("one")]),
    ]);
    const rows = await driver.read({ text: "select number from {things}" });
    expect(rows).toEqual([{ number: 2 }, { number: 2 }]);
  });

  it("waits for no lock for long, and leaves no connection behind that does", async () => {
    const { driver, schema } = open();
    await driver.transaction([thing("one")]);
    const { letGo } = await lockThings(schema);
    const writes = [
      driver.transaction([thing("two")]),
      driver.read({ text: "select pg_sleep(60) from {things}" }),
    ];
    const given = await Promise.allSettled(writes);
    // The database has ended them. Where this process gives up, it says that it takes too long.
    const message = "The database is blocked for too long.";
    for (const one of given) {
      expect(one).toMatchObject({ reason: { fault: "busy", message } });
    }
    expect(await locksOn(schema)).toBe(1);
    await letGo();
    await driver.transaction([thing("three")]);
    expect(await namesIn(driver)).toEqual(["one", "three"]);
  });
});

describe("the line to the database", () => {
  it("may be slow: nothing is lost", async () => {
    const slow = await line();
    const { driver } = open({ url: slow.url });
    await driver.transaction([thing("one")]);
    slow.slow(150);
    const writes = Array.from({ length: 10 }, (_, n) => driver.transaction([thing(`${n}`)]));
    await Promise.all(writes);
    expect(await namesIn(driver)).toHaveLength(11);
  });

  it("may be frozen: what waits for an answer is given up, and others go on", async () => {
    const frozen = await line();
    const { driver, schema } = open({ url: frozen.url });
    await driver.transaction([thing("one")]);
    frozen.freeze();
    await expect(driver.transaction([thing("two")])).rejects.toMatchObject({
      fault: "busy",
      message: "The database takes too long.",
    });
    expect(await namesIn(open({ schema }).driver)).toEqual(["one"]);
  });

  it("may break: the next one works", async () => {
    const cut = await line();
    const { driver } = open({ url: cut.url });
    await driver.transaction([thing("one")]);
    cut.cut();
    // Whoever uses the broken connection first finds out.
    const tryAgain = () => driver.transaction([thing("two")]).then(() => "written", String);
    await expect.poll(tryAgain).toBe("written");
    expect(await namesIn(driver)).toEqual(["one", "two"]);
  });
});

it("writes while many pages wait for slow answers", async () => {
  const { driver } = open();
  await driver.transaction([thing("one")]);
  const reads = Array.from({ length: 6 }, () => driver.read({ text: "select pg_sleep(3.5)" }));
  // Longer than a connection is waited for.
  const end = performance.now() + 4_000;
  for (let n = 0; performance.now() < end; n++) await driver.transaction([thing(`${n}`)]);
  expect(await Promise.all(reads)).toHaveLength(6);
});

it("comes back by itself when Postgres is stopped and started again", async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const { driver } = open({ url: postgres.url });
  await driver.transaction([thing("one")]);
  await postgres.stopServer();
  await expect(driver.transaction([thing("two")])).rejects.toMatchObject({ fault: "unwritable" });
  await expect(driver.transaction([thing("two")])).rejects.toThrow("can't be reached");
  await postgres.startServer();
  const tryAgain = () => driver.transaction([thing("three")]).then(() => "written", String);
  await expect.poll(tryAgain).toBe("written");
  expect(await namesIn(driver)).toEqual(["one", "three"]);
});
