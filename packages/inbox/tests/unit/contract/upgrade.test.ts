import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { inboxTables } from "@/packages/inbox/src/tables";
import { temporaryFolder } from "@/tests/support/folders";
import { runSql } from "@/tests/support/postgres.js";
import { errorEnvelope, eventId, transactionEnvelope } from "@/tests/support/sdk-envelopes";
import { type Service, startService } from "@/tests/support/service";
import { bundleProcess, sendTo, startTunnelProcess } from "@/tests/support/tunnel-processes";
import { releasedServer } from "./released-stores";

// Servers of 0.1.0 and of a build to come, whose tables differ, on one store.

const newerServer = "packages/inbox/tests/unit/contract/newer-store-process.ts";

interface NewStore {
  env: Record<string, string>;
  /** Rows of the store, as somebody else reads them. */
  read(sql: (table: (name: string) => string) => string): Promise<Record<string, unknown>[]>;
  /** Whether a server is in the midst of the endless migration. */
  isMigrating(): Promise<boolean>;
}

const stores: [name: string, open: () => NewStore][] = [
  [
    "SQLite",
    () => {
      const folder = temporaryFolder();
      const withFile = <T>(run: (db: DatabaseSync) => T): T => {
        const db = new DatabaseSync(join(folder, "outbox.db"), { timeout: 5000 });
        try {
          return run(db);
        } finally {
          db.close();
        }
      };
      return {
        env: { DATA_DIR: folder },
        read: async (sql) => withFile((db) => db.prepare(sql((name) => `signpost_${name}`)).all()),
        // It has the file for itself then.
        isMigrating: async () =>
          withFile((db) => {
            db.exec("pragma busy_timeout = 0");
            try {
              db.exec("begin immediate; rollback");
              return false;
            } catch {
              return true;
            }
          }),
      };
    },
  ],
  [
    "Postgres",
    () => {
      const url = inject("postgresUrl");
      const schema = `test_${randomUUID().replaceAll("-", "")}`;
      const activity = `select 1 from pg_stat_activity
        where state = 'active' and query like 'select pg_sleep(30)%'`;
      return {
        env: { DATABASE_URL: url, DATABASE_SCHEMA: schema },
        read: (sql) =>
          runSql(
            url,
            sql((name) => `"${schema}".signpost_${name}`),
          ),
        isMigrating: async () => (await runSql(url, activity)).length > 0,
      };
    },
  ],
];

/**
 * Posts to the servers that are in the list, until it is told to stop.
 *
 * @returns the ids of what was taken
 */
function sendSteadily(ports: number[]) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  onTestFinished(() => agent.destroy());
  const taken: string[] = [];
  let isOver = false;
  let next = 0;
  const sender = async () => {
    while (!isOver) {
      const id = eventId();
      const envelope = next % 3 === 0 ? transactionEnvelope(id) : errorEnvelope(id);
      if (await sendTo(agent, ports[next++ % ports.length] ?? 0, envelope)) taken.push(id);
    }
  };
  const senders = Array.from({ length: 8 }, sender);
  return {
    taken,
    async more(number: number) {
      const wanted = taken.length + number;
      await expect.poll(() => taken.length).toBeGreaterThan(wanted);
    },
    async stop() {
      isOver = true;
      await Promise.all(senders);
      return taken;
    },
  };
}

/** @param ports of those that are sent to */
async function stop({ child, port }: { child: ChildProcess; port: number }, ports = [port]) {
  ports.splice(ports.indexOf(port), 1);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
}

async function newService(): Promise<Service> {
  const service = await startService();
  onTestFinished(() => service.close());
  return service;
}

describe.each(stores)("on %s", (engine, open) => {
  it("servers of both builds take turns under load, forth and back: nothing is lost, nothing comes twice", async () => {
    const service = await newService();
    const newer = await bundleProcess(newerServer);
    const { env: store, read } = open();
    const env = { ...store, SENTRY_DSN: service.dsn, MIGRATION: "additive" };
    const ports: number[] = [];
    const start = async (script: string) => {
      const server = await startTunnelProcess(script, env);
      ports.push(server.port);
      return server;
    };
    const old = await Promise.all([start(releasedServer), start(releasedServer)]);
    const load = sendSteadily(ports);
    await load.more(150);
    const next = await start(newer);
    await load.more(150);
    const versions = await read((table) => `select * from ${table("versions")} order by name`);
    expect(versions).toMatchObject([
      // The last migration is the test's own.
      { name: "inbox", version: 2, latest: (inboxTables.migrations.at(-1)?.version ?? 0) + 1 },
      { name: "outbox", version: 1, latest: 2 },
    ]);
    for (const server of old) await stop(server, ports);
    await load.more(150);
    // And back.
    const back = await start(releasedServer);
    await load.more(150);
    await stop(next, ports);
    await load.more(150);
    const taken = await load.stop();
    await service.waitFor(({ envelopes }) => envelopes.length >= taken.length);
    await stop(back, ports);
    expect(await read((table) => `select id from ${table("outbox")}`)).toEqual([]);
    const delivered = service.envelopes.map(({ header }) => String(header.event_id));
    expect(delivered.sort()).toEqual(taken.sort());
    console.log(`${engine}: ${taken.length} reports`);
  });

  it("0.1.0 files into the inbox of a build to come, and that goes on with it", async () => {
    const newer = await bundleProcess(newerServer);
    const { env: store, read } = open();
    const env = { ...store, SENTRY_DSN: "", MIGRATION: "additive" };
    const agent = new http.Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const filed = () => read((table) => `select event_id from ${table("errors")}`);
    const servers = [releasedServer, newer, releasedServer, newer];
    for (const [n, script] of servers.entries()) {
      const server = await startTunnelProcess(script, env);
      expect(await sendTo(agent, server.port, errorEnvelope())).toBe(true);
      await expect.poll(filed).toHaveLength(n + 1);
      await stop(server);
    }
  });

  it("0.1.0 writes nothing once the tables are others, whether it runs or starts", async () => {
    const service = await newService();
    await service.behave("refuse");
    const newer = await bundleProcess(newerServer);
    const { env: store, read } = open();
    const env = { ...store, SENTRY_DSN: service.dsn, MIGRATION: "breaking" };
    const agent = new http.Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const old = await startTunnelProcess(releasedServer, env);
    expect(await sendTo(agent, old.port, errorEnvelope())).toBe(true);
    await startTunnelProcess(newer, env);
    const versions = () =>
      read((table) => `select version from ${table("versions")} where name = 'outbox'`);
    await expect.poll(versions).toEqual([{ version: 2 }]);
    expect(await sendTo(agent, old.port, errorEnvelope())).toBe(false);
    const again = await startTunnelProcess(releasedServer, env);
    expect(await sendTo(agent, again.port, errorEnvelope())).toBe(false);
    expect(await read((table) => `select low from ${table("waiting")}`)).toHaveLength(1);
  });

  it("a server that is killed while it migrates leaves the tables as they were", async () => {
    const service = await newService();
    const newer = await bundleProcess(newerServer);
    const { env: store, read, isMigrating } = open();
    const env = { ...store, SENTRY_DSN: service.dsn };
    await service.behave("refuse");
    const agent = new http.Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const before = await startTunnelProcess(releasedServer, env);
    expect(await sendTo(agent, before.port, errorEnvelope())).toBe(true);
    await stop(before);
    const killed = await startTunnelProcess(newer, { ...env, MIGRATION: "endless" });
    await expect.poll(isMigrating).toBe(true);
    killed.child.kill("SIGKILL");
    await once(killed.child, "exit");
    if (engine === "Postgres") {
      // It notices at the end of the statement.
      await read(
        () => `select pg_terminate_backend(pid) from pg_stat_activity
        where state = 'active' and query like 'select pg_sleep(30)%'`,
      );
    }
    await expect.poll(isMigrating).toBe(false);
    expect(await read((table) => `select * from ${table("outbox")}`)).toMatchObject([
      expect.not.objectContaining({ colour: 3 }),
    ]);
    await service.behave("ok");
    const after = await startTunnelProcess(newer, { ...env, MIGRATION: "additive" });
    await service.waitFor(({ envelopes }) => envelopes.length > 0);
    await stop(after);
    expect(service.envelopes).toHaveLength(1);
    expect(await read((table) => `select colour from ${table("outbox")}`)).toEqual([]);
  });
});

it("a damaged file that 0.1.0 has replaced is migrated anew", async () => {
  const service = await newService();
  await service.behave("refuse");
  const newer = await bundleProcess(newerServer);
  const folder = temporaryFolder();
  const env = { DATA_DIR: folder, SENTRY_DSN: service.dsn, MIGRATION: "additive" };
  const agent = new http.Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const first = await startTunnelProcess(newer, env);
  for (let n = 0; n < 40; n++) {
    await sendTo(agent, first.port, errorEnvelope(undefined, "x".repeat(3000)));
  }
  await stop(first);
  const file = join(folder, "outbox.db");
  const bytes = readFileSync(file);
  bytes.fill(0xff, bytes.length - 20 * 4096, bytes.length - 19 * 4096);
  writeFileSync(file, bytes);
  const old = await startTunnelProcess(releasedServer, env);
  expect(await sendTo(agent, old.port, errorEnvelope())).toBe(true);
  await stop(old);
  expect(readdirSync(folder)).toContainEqual(expect.stringContaining(".damaged-"));
  const last = await startTunnelProcess(newer, env);
  expect(await sendTo(agent, last.port, errorEnvelope())).toBe(true);
  await stop(last);
  const db = new DatabaseSync(file);
  onTestFinished(() => db.close());
  expect(db.prepare("select distinct colour from signpost_outbox order by 1").all()).toEqual([
    { colour: 3 },
    { colour: 4 },
  ]);
});
