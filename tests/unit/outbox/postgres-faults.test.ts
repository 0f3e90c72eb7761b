import { readdirSync } from "node:fs";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import type { ClaimRequest } from "@/lib/outbox/outbox";
import { schemaVersion } from "@/lib/outbox/postgres/schema";
import { openPostgresOutbox } from "@/tests/support/outboxes";
import { runSql, startPostgres } from "@/tests/support/postgres.js";
import { envelopeOf, errorEnvelope } from "@/tests/support/sdk-envelopes";
import { startDatabaseLine } from "@/tests/support/slow-database";

const all = { after: 0, limit: 1000 };
const next = { limit: 100, without: 0, failedLast: false };

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

async function line() {
  const opened = await startDatabaseLine(inject("postgresUrl"));
  onTestFinished(() => opened.close());
  return opened;
}

describe("a database that can't be used", () => {
  it.each([
    [
      "has another password",
      (url: URL) => (url.password = "wrong-word"),
      "refuses the user or the",
    ],
    ["does not exist", (url: URL) => (url.pathname = "/nowhere"), "does not exist"],
    ["does not answer", (url: URL) => (url.port = "1"), "can't be reached"],
    ["is no host", (url: URL) => (url.hostname = "nowhere.invalid"), "can't be reached"],
    ["has a certificate that is missing", (url: URL) => (url.search = "sslrootcert=/missing"), ""],
  ])("because it %s is said, without the password", async (_, change, reason) => {
    const url = new URL(inject("postgresUrl"));
    change(url);
    const { outbox, lines } = openPostgresOutbox({ url: url.href });
    await expect(outbox.append(errorEnvelope(), "browser")).rejects.toMatchObject({
      name: "OutboxError",
      fault: "unwritable",
    });
    const stats = await outbox.stats();
    expect(stats).toMatchObject({ writable: false, waiting: 0 });
    expect(stats.reason).toContain(reason);
    expect(lines[0]).toMatchObject({ level: "error", event: "outbox can't be written" });
    const said = JSON.stringify([lines, stats]);
    expect(said).not.toContain(decodeURIComponent(url.password));
    expect(said).not.toContain(url.password);
  });

  it("refuses all at once, and tries again a second later", async () => {
    const url = new URL(inject("postgresUrl"));
    url.port = "1";
    const { outbox, lines } = openPostgresOutbox({ url: url.href });
    const appends = Array.from({ length: 1000 }, () => outbox.append(errorEnvelope(), "browser"));
    const outcomes = await Promise.allSettled(appends);
    expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
    expect(lines).toHaveLength(1);
  });

  it("for lack of rights is told which SQL to run, and works once that was run", async () => {
    const { role, url } = await newRole();
    const { outbox, schema, lines } = openPostgresOutbox({ url });
    await expect(outbox.append(errorEnvelope(), "browser")).rejects.toThrow("lacks rights");
    const sql = `create schema "${schema}" authorization`;
    expect((await outbox.stats()).reason).toContain(`must run: ${sql} "the role`);
    const told = lines.find(({ event }) => event === "database role lacks rights");
    expect(told?.fields).toEqual({ run: `${sql} "${role}"` });
    await superuser(String(told?.fields.run));
    await expect.poll(() => outbox.stats(), { timeout: 5000 }).toMatchObject({ writable: true });
    await outbox.append(errorEnvelope(), "browser");
    expect(lines.at(-1)?.event).toBe("outbox can be written again");
  });

  it("for lack of rights on tables of another role is told which SQL to run", async () => {
    const { schema, outbox: owner } = openPostgresOutbox();
    await owner.append(errorEnvelope(), "browser");
    const { url } = await newRole();
    const { outbox, lines } = openPostgresOutbox({ url, schema });
    await expect(outbox.list(all)).rejects.toThrow("lacks rights");
    await superuser(String(lines[0]?.fields.run));
    await expect.poll(() => outbox.list(all).catch(String), { timeout: 5000 }).toHaveLength(1);
    await outbox.append(errorEnvelope(), "browser");
    const [report] = await outbox.claim(next);
    await outbox.ack(report?.id ?? 0, "delivered");
    expect((await owner.stats()).waiting).toBe(1);
  });

  it("because it is read-only is noticed although nothing is written, and its end too", async () => {
    const { role, url } = await newRole();
    const { outbox, schema } = openPostgresOutbox({ url });
    await superuser(`create schema "${schema}" authorization ${role}`);
    await outbox.append(errorEnvelope(), "browser");
    await superuser(`alter role ${role} set default_transaction_read_only = on`);
    const other = openPostgresOutbox({ url, schema }).outbox;
    expect(await other.stats()).toMatchObject({
      writable: false,
      reason: "The database is read-only.",
      waiting: 1,
    });
    await expect(other.append(errorEnvelope(), "browser")).rejects.toThrow("read-only");
    await superuser(`alter role ${role} reset default_transaction_read_only`);
    await expect.poll(() => other.stats(), { timeout: 5000 }).toMatchObject({ writable: true });
    await other.append(errorEnvelope(), "browser");
  });

  it("with tables of the version before is migrated, and the log says so", async () => {
    const { outbox, schema } = openPostgresOutbox();
    await outbox.append(errorEnvelope(), "browser");
    await superuser(
      `update "${schema}".notes set value = '${schemaVersion - 1}' where name = 'schema-version'`,
    );
    const { outbox: later, lines } = openPostgresOutbox({ schema });
    await later.append(errorEnvelope(), "browser");
    expect(await outbox.list(all)).toHaveLength(2);
    expect(lines).toEqual([
      {
        level: "info",
        event: "outbox schema migrated",
        fields: { schema, version: schemaVersion },
      },
    ]);
  });

  it("with tables of a newer version is used as long as that is the next one", async () => {
    const { outbox, schema } = openPostgresOutbox();
    await outbox.append(errorEnvelope(), "browser");
    const setVersion = (version: number) =>
      superuser(`update "${schema}".notes set value = '${version}' where name = 'schema-version'`);
    await setVersion(schemaVersion + 1);
    const next = openPostgresOutbox({ schema }).outbox;
    await next.append(errorEnvelope(), "browser");
    expect(await outbox.list(all)).toHaveLength(2);
    await setVersion(schemaVersion + 2);
    const later = openPostgresOutbox({ schema }).outbox;
    await expect(later.append(errorEnvelope(), "browser")).rejects.toThrow(
      `of version ${schemaVersion + 2}, and this build knows version ${schemaVersion}: deploy a newer build`,
    );
  });
});

describe("the outbox in Postgres", () => {
  it("is created by many servers that start at once", async () => {
    const { outbox, schema, lines } = openPostgresOutbox();
    const others = Array.from({ length: 7 }, () => openPostgresOutbox({ schema }));
    const servers = [outbox, ...others.map((other) => other.outbox)];
    await Promise.all(servers.map((server) => server.append(errorEnvelope(), "browser")));
    expect(await outbox.list(all)).toHaveLength(8);
    const created = [lines, ...others.map((other) => other.lines)].flat();
    expect(created.map(({ event }) => event)).toEqual(["outbox schema created"]);
  });

  it("says which server took a report", async () => {
    const { outbox, schema } = openPostgresOutbox({ server: "one" });
    const { outbox: other } = openPostgresOutbox({ schema, server: "two" });
    await outbox.append(errorEnvelope(), "browser");
    await other.append(errorEnvelope(), "browser");
    expect((await outbox.list(all)).map(({ server }) => server)).toEqual(["one", "two"]);
  });

  it("claims large reports a few at a time, in order", async () => {
    const { outbox } = openPostgresOutbox();
    const large = envelopeOf({}, [{ type: "attachment" }, Buffer.alloc(1_500_000)]);
    for (let n = 0; n < 7; n++) await outbox.append(large, "browser");
    await outbox.append(errorEnvelope(), "browser");
    const [one, two, three, four, ...newest] = (await outbox.list(all)).map(({ id }) => id);
    const claim = async (request: Partial<ClaimRequest> = {}) =>
      (await outbox.claim({ limit: 16, without: 0, failedLast: false, ...request })).map(
        ({ id }) => id,
      );
    const newestFirst = { failedLast: true, newestFirst: true };
    expect(await claim(newestFirst)).toEqual(newest.reverse());
    expect(await claim()).toEqual([one, two, three]);
    expect(await claim()).toEqual([four]);
  });

  it("waits for the disk at each commit, whatever the role's default", async () => {
    const { role, url } = await newRole();
    await superuser(`alter role ${role} set synchronous_commit = off`);
    const { outbox, schema } = openPostgresOutbox({ url });
    await superuser(`create schema "${schema}" authorization ${role}`);
    await outbox.append(errorEnvelope(), "browser");
    await superuser(`
      create table "${schema}".seen as select current_setting('synchronous_commit') as value limit 0;
      grant all on "${schema}".seen to ${role};
      create function "${schema}".see() returns trigger language plpgsql as $$ begin
        insert into "${schema}".seen values (current_setting('synchronous_commit'));
        return null;
      end $$;
      create constraint trigger at_commit after insert on "${schema}".reports
        deferrable initially deferred for each row execute function "${schema}".see()`);
    await outbox.append(errorEnvelope(), "browser");
    expect(await superuser(`select value from "${schema}".seen`)).toEqual([{ value: "on" }]);
  });

  it("works slowly with a slow database, and loses nothing", async () => {
    const slow = await line();
    const { outbox } = openPostgresOutbox({ url: slow.url });
    await outbox.append(errorEnvelope(), "browser");
    slow.slow(500);
    const appends = Array.from({ length: 200 }, () => outbox.append(errorEnvelope(), "browser"));
    await Promise.all(appends);
    const claimed = await outbox.claim({ ...next, limit: 64 });
    await Promise.all(claimed.map(({ id }) => outbox.ack(id, "delivered")));
    expect(await outbox.stats()).toMatchObject({ writable: true, waiting: 201 - 64 });
  });

  it("stores reports while many pages wait for slow answers", async () => {
    const { outbox, lines } = openPostgresOutbox();
    await outbox.append(errorEnvelope(), "browser");
    const slow = { text: "select pg_sleep(3.5)" };
    const reads = Array.from({ length: 6 }, () => outbox.rows.select(slow));
    // Longer than a connection is waited for.
    const end = performance.now() + 4_000;
    while (performance.now() < end) await outbox.append(errorEnvelope(), "browser");
    expect(await Promise.all(reads)).toHaveLength(6);
    expect(lines.map(({ event }) => event)).toEqual(["outbox schema created"]);
  });

  it("gives up on a database that stops answering, and comes back with it", async () => {
    const frozen = await line();
    const { outbox, schema } = openPostgresOutbox({ url: frozen.url });
    await outbox.append(errorEnvelope(), "browser");
    frozen.freeze();
    await expect(outbox.append(errorEnvelope(), "browser")).rejects.toMatchObject({
      fault: "busy",
      message: "The database takes too long.",
    });
    expect(await outbox.stats()).toMatchObject({ writable: false });
    expect(await openPostgresOutbox({ schema }).outbox.stats()).toMatchObject({ writable: true });
  });

  it("lets no report wait behind those that a frozen database did not take", async () => {
    const frozen = await line();
    const { outbox } = openPostgresOutbox({ url: frozen.url });
    await outbox.append(errorEnvelope(), "browser");
    frozen.freeze();
    const reasons: string[] = [];
    const append = () => outbox.append(errorEnvelope(), "browser").catch(String);
    const appends = Array.from({ length: 6000 }, () =>
      append().then((reason) => reasons.push(String(reason))),
    );
    await appends[0];
    const tooMany = reasons.filter((reason) => reason.includes("Too many reports wait"));
    expect(tooMany).toHaveLength(2000);
    // Each group of 500 would wait for itself.
    await new Promise((resolve) => setImmediate(resolve));
    expect(reasons).toHaveLength(6000);
  });

  it("waits for no lock for long, and leaves no connection behind that does", async () => {
    const { outbox, schema } = openPostgresOutbox();
    await outbox.append(errorEnvelope(), "browser");
    const lock = superuser(
      `begin; select from "${schema}".totals for update; select pg_sleep(7); commit`,
    );
    await expect.poll(() => locksOn(schema)).toBe(1);
    await expect(outbox.append(errorEnvelope(), "browser")).rejects.toMatchObject({
      fault: "busy",
    });
    await expect.poll(() => locksOn(schema)).toBe(1);
    await lock;
    await expect.poll(() => outbox.stats(), { timeout: 5000 }).toMatchObject({ writable: true });
    await outbox.append(errorEnvelope(), "browser");
  });

  it("leaves nothing running in the database that it has given up", async () => {
    const { outbox, schema } = openPostgresOutbox();
    for (let n = 0; n < 2; n++) await outbox.append(errorEnvelope(), "browser");
    const [one, two] = await outbox.claim(next);
    const lock = superuser(
      `begin; select from "${schema}".reports for update; select pg_sleep(6); commit`,
    );
    await expect.poll(() => locksOn(schema, "reports")).toBe(1);
    const given = await Promise.allSettled([
      outbox.ack(one?.id ?? 0, "delivered"),
      outbox.requeue(two?.id ?? 0),
      outbox.rows.select({ text: "select pg_sleep(60) from {reports}" }),
    ]);
    const reasons = given.map((one) => one.status === "rejected" && one.reason.message);
    // The database has ended them. Where this process gives up, it says that it takes too long.
    expect(reasons).toEqual(Array(3).fill("The database is blocked for too long."));
    await lock;
  });

  it("goes on after its connections were broken, and its tables were dropped", async () => {
    const cut = await line();
    const { outbox, schema, lines } = openPostgresOutbox({ url: cut.url });
    await outbox.append(errorEnvelope(), "browser");
    const appendAgain = () =>
      outbox.append(errorEnvelope(), "browser").then(() => "stored", String);
    cut.cut();
    // Whoever uses the broken connection first finds out.
    await expect.poll(appendAgain).toBe("stored");
    expect(await outbox.list(all)).toHaveLength(2);
    await superuser(`drop schema "${schema}" cascade`);
    await outbox.append(errorEnvelope(), "browser");
    expect(await outbox.list(all)).toHaveLength(1);
    expect(lines.at(-1)?.event).toBe("outbox schema created");
  });

  it("gives a dead process's claims to others when the lease ends, and not before", async () => {
    const leaseMs = 10_000;
    const { outbox, schema, clock } = openPostgresOutbox({ leaseMs });
    for (let n = 0; n < 3; n++) await outbox.append(errorEnvelope(), "browser");
    const { outbox: other } = openPostgresOutbox({ schema, clock, leaseMs });
    const dead = await outbox.claim({ ...next, limit: 2 });
    expect(await other.claim(next)).toHaveLength(1);
    clock.now += 9_999;
    expect(await other.claim(next)).toEqual([]);
    clock.now += 1;
    const taken = await other.claim(next);
    expect(taken.map(({ id }) => id)).toEqual(dead.map(({ id }) => id));
    // The first one was only frozen, and acknowledges too late.
    for (const { id } of dead) await outbox.ack(id, "send_error");
    expect(await other.list(all)).toHaveLength(3);
    expect(await other.drops()).toEqual([]);
  });

  it("ends claims and back-offs although the database's clock was set back", async () => {
    const { outbox, schema, clock } = openPostgresOutbox();
    for (let n = 0; n < 2; n++) await outbox.append(errorEnvelope(), "browser");
    const [failed] = await outbox.claim(next);
    await outbox.requeue(failed?.id ?? 0, 60_000);
    const { outbox: other } = openPostgresOutbox({ schema, clock });
    clock.now -= 5 * 60_000;
    expect(await other.claim(next)).toEqual([]);
    clock.now -= 3_600_000;
    expect(await other.claim(next)).toHaveLength(2);
  });

  it("counts by its totals what is there", async () => {
    const { outbox, schema } = openPostgresOutbox({
      bounds: { maxBytes: 8000, maxAgeMs: 60_000, maxReports: 9, whenFull: "drop-oldest" },
    });
    for (let n = 0; n < 30; n++) {
      await outbox.append(errorEnvelope(undefined, "x".repeat((n * 97) % 900)), "browser");
      if (n % 4 === 0) {
        const [claimed] = await outbox.claim({ ...next, limit: 1 });
        await outbox.ack(claimed?.id ?? 0, n % 8 === 0 ? "delivered" : "send_error");
      }
    }
    const [counted] = await superuser(
      `select count(*) as reports, sum(size) as bytes from "${schema}".reports`,
    );
    const [summed] = await superuser(
      `select i.important + i.others - o.important - o.others as reports, i.bytes - o.bytes as bytes
       from "${schema}".totals i, "${schema}".totals o where i.side = 'in' and o.side = 'out'`,
    );
    expect(summed).toEqual(counted);
  });

  it("writes nothing to disk", async () => {
    const before = readdirSync(".");
    const { outbox } = openPostgresOutbox();
    await outbox.append(errorEnvelope(), "browser");
    expect(readdirSync(".")).toEqual(before);
  });
});

it("comes back by itself when Postgres is stopped and started again", async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const { outbox, lines } = openPostgresOutbox({ url: postgres.url });
  await outbox.append(errorEnvelope(), "browser");
  await postgres.stopServer();
  await expect(outbox.append(errorEnvelope(), "browser")).rejects.toMatchObject({
    fault: "unwritable",
  });
  expect(await outbox.stats()).toMatchObject({
    writable: false,
    reason: "The database can't be reached.",
  });
  await postgres.startServer();
  await expect
    .poll(() => outbox.stats(), { timeout: 10_000 })
    .toMatchObject({
      writable: true,
      waiting: 1,
    });
  await outbox.append(errorEnvelope(), "browser");
  expect(lines.map(({ event }) => event)).toEqual([
    "outbox schema created",
    "outbox can't be written",
    "outbox can be written again",
  ]);
});

/** How many connections hold or wait for locks on this table of the schema. */
async function locksOn(schema: string, table = "totals"): Promise<number> {
  const [row] = await superuser<{ count: string }>(
    `select count(distinct pid) as count from pg_locks
     where relation = to_regclass('"${schema}".${table}') and pid <> pg_backend_pid()
       and mode <> 'AccessShareLock'`,
  );
  return Number(row?.count);
}
