import { readFileSync } from "node:fs";
import http from "node:http";
import { registerHooks } from "node:module";
import type { AddressInfo } from "node:net";
import express from "express";
import fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import {
  createRelay,
  type EmbeddedDestination,
  type Log,
  type Relay,
} from "@/packages/relay/src/index";
import { checkOptions, type RelayOptions } from "@/packages/relay/src/relay-options";
import { temporaryFolder } from "@/tests/support/folders";
import { errorEnvelope, eventId } from "@/tests/support/sdk-envelopes";
import { startService } from "@/tests/support/service";

const silent = () => {};

async function startRelay(options: Partial<RelayOptions> = {}): Promise<Relay> {
  const relay = createRelay({ store: { folder: temporaryFolder() }, log: silent, ...options });
  onTestFinished(() => relay.close());
  await relay.start();
  return relay;
}

/** Servers that have a relay before an app which answers "the app", as the README shows them. */
const servers: Record<string, (relay: Relay) => Promise<http.Server>> = {
  async http(relay) {
    return http
      .createServer((request, response) => {
        if (!relay.handle(request, response)) response.end("the app");
      })
      .listen(0, "127.0.0.1");
  },
  async Express(relay) {
    const app = express();
    app.use((request, response, next) => relay.handle(request, response) || next());
    app.get("/{*any}", (_request, response) => void response.send("the app"));
    return app.listen(0, "127.0.0.1");
  },
  async Fastify(relay) {
    const app = fastify();
    app.addHook("onRequest", (request, reply, done) => {
      if (relay.handle(request.raw, reply.raw)) reply.hijack();
      else done();
    });
    app.get("/*", async () => "the app");
    await app.listen({ port: 0, host: "127.0.0.1" });
    return app.server;
  },
};

async function originOf(server: http.Server): Promise<string> {
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  if (!server.listening) await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each(Object.keys(servers))("a server of %s has a tunnel before its app", async (name) => {
  const service = await startService();
  onTestFinished(() => service.close());
  const relay = await startRelay({ dsn: service.dsn });
  const server = await servers[name]?.(relay);
  if (!server) throw new Error("Expected a server.");
  const origin = await originOf(server);
  const id = eventId();
  const answer = await fetch(`${origin}/api/relay`, {
    method: "POST",
    body: errorEnvelope(id).toString(),
  });
  expect([answer.status, await answer.json()]).toEqual([200, { id }]);
  const sent = await service.waitFor(({ envelopes }) => envelopes[0]);
  expect(sent.header.event_id).toBe(id);
  const refused = await fetch(`${origin}/api/relay/`, { method: "POST", body: "nonsense" });
  expect(refused.status).toBe(400);
  expect(await (await fetch(`${origin}/other`)).text()).toBe("the app");
});

test("each server is as the README shows it", () => {
  const readme = readFileSync("packages/relay/README.md", "utf8");
  for (const line of [
    "if (!relay.handle(request, response)) response.end(",
    "app.use((request, response, next) => relay.handle(request, response) || next())",
    "if (relay.handle(request.raw, reply.raw)) reply.hijack();",
  ]) {
    expect(readme).toContain(line);
    expect(readFileSync(import.meta.filename, "utf8")).toContain(line);
  }
});

test("two relays of one process have nothing in common", async () => {
  const services = [await startService(), await startService()];
  for (const service of services) onTestFinished(() => service.close());
  const relays = await Promise.all(services.map(({ dsn }) => startRelay({ dsn })));
  const ids = [eventId(), eventId()];
  for (const [i, relay] of relays.entries()) await relay.append(errorEnvelope(ids[i]));
  for (const [i, service] of services.entries()) {
    await service.waitFor(({ envelopes }) => envelopes[0]);
    expect(service.envelopes.map(({ header }) => header.event_id)).toEqual([ids[i]]);
  }
  relays[0]?.refusals.note("envelopes", "too_large");
  expect(relays[1]?.refusals.counts.size).toBe(0);
});

test("what waits as it stops is delivered by the next", async () => {
  const store = { folder: temporaryFolder() };
  const first = await startRelay({ store });
  const id = eventId();
  await first.append(errorEnvelope(id).toString());
  expect(await first.status()).toMatchObject({ waiting: 1, delivery: "delivering" });
  await first.stop();
  expect(first.delivery).toBe("stopped");
  await first.close();
  const service = await startService();
  onTestFinished(() => service.close());
  await startRelay({ store, dsn: service.dsn });
  const sent = await service.waitFor(({ envelopes }) => envelopes[0]);
  expect(sent.header.event_id).toBe(id);
});

test("a relay whose store is away says so, and stops and closes in good order", async () => {
  const told: string[] = [];
  const log: Log = (_, event) => void told.push(event);
  const relay = await startRelay({ store: { folder: "/proc/none" }, log });
  await expect(relay.append(errorEnvelope())).rejects.toMatchObject({ fault: "unwritable" });
  await relay.stop();
  await relay.close();
  expect(told).toContain("outbox can't be written");
});

test("a relay whose database's package is missing says so, and closes in good order", async () => {
  const hooks = registerHooks({
    resolve(name, context, next) {
      if (/^pg$|\/node_modules\/pg\//.test(name)) throw new Error("There is no package pg.");
      return next(name, context);
    },
  });
  onTestFinished(() => hooks.deregister());
  const told: unknown[] = [];
  const log: Log = (_, __, fields) => void told.push(fields?.cause);
  const relay = await startRelay({
    store: { postgres: { url: "postgres://127.0.0.1:9/app" } },
    log,
  });
  await relay.close();
  expect(told).toContain("Error: There is no package pg.");
});

/** Of the README: counts reports by their origin. */
const counter: EmbeddedDestination<string> = {
  name: "counter",
  tables: {
    name: "counter",
    migrations: [
      { version: 1, statements: () => [{ text: "create table {counted} (origin text not null)" }] },
    ],
  },
  path: "/counter",
  open: ({ driver }) => ({
    deliver: async ({ origin }) => ({ kind: "taken", value: origin }),
    rows: (origins) =>
      origins.map((origin) => ({
        text: "insert into {counted} (origin) values ($1)",
        values: [origin],
      })),
    handle(_request, response) {
      driver
        .read({ text: "select origin, count(*) as number from {counted} group by origin" })
        .then((rows) => response.end(JSON.stringify(rows)))
        .catch(() => response.writeHead(503).end());
      return true;
    },
    close() {},
  }),
};

test("a destination takes what no service gets, and answers below its path", async () => {
  const relay = await startRelay({ destination: counter, basePath: "/base" });
  const server = await servers.http?.(relay);
  if (!server) throw new Error("Expected a server.");
  const origin = await originOf(server);
  await relay.append(errorEnvelope());
  await relay.outbox.append(errorEnvelope(), "browser");
  await relay.deliverNow(10_000);
  await expect
    .poll(async () => (await fetch(`${origin}/base/counter/all`)).json())
    .toEqual([
      { origin: "browser", number: 1 },
      { origin: "server", number: 1 },
    ]);
  for (const path of ["/counter", "/base/counters"]) {
    expect(await (await fetch(origin + path)).text()).toBe("the app");
  }
  // Its store can't be read any more.
  await relay.outbox.close();
  expect((await fetch(`${origin}/base/counter`)).status).toBe(503);
});

test("a destination is opened once, also where the relay starts again", async () => {
  let opened = 0;
  const open: typeof counter.open = (context) => {
    opened++;
    return counter.open(context);
  };
  const relay = await startRelay({ destination: { ...counter, open } });
  await relay.stop();
  await relay.append(errorEnvelope());
  await relay.start();
  await relay.deliverNow(10_000);
  expect(await relay.status()).toMatchObject({ waiting: 0 });
  expect(opened).toBe(1);
});

test("a destination prunes what it has also where a service gets the reports", async () => {
  const store = { folder: temporaryFolder() };
  const before = await startRelay({ store, destination: counter });
  await before.append(errorEnvelope());
  await before.deliverNow(10_000);
  await before.close();
  let pruned = 0;
  const pruning: EmbeddedDestination<string> = {
    ...counter,
    open: (context) => {
      expect(context.isUsed).toBe(false);
      return { ...counter.open(context), prune: async () => void pruned++ };
    },
  };
  const dsn = "http://key@127.0.0.1:9/1";
  await startRelay({ store, destination: pruning, dsn });
  await expect.poll(() => pruned).toBe(1);
  // Where there were never any tables, there is nothing to prune, and nothing is lacking.
  const relay = await startRelay({ destination: pruning, dsn });
  expect(await relay.status()).toMatchObject({ writable: true });
  expect(pruned).toBe(1);
});

test.each([
  [{ dsn: "nonsense" }, 'Expected `dsn` to be like "https://key@host/1", got string'],
  [
    { store: { file: "a.db" } },
    'Expected `store` to be { folder } or { postgres: { url } }, got ["file"]',
  ],
  [{ path: "relay/" }, 'Expected `path` to begin with a slash and to end with none, got "relay/"'],
  [{ maxBytes: 0 }, "Expected `maxBytes` to be a number above 0, got 0"],
  [{ retentionHours: "1" }, 'Expected `retentionHours` to be a number above 0, got "1"'],
  [{ store: null }, "Expected `store` to be { folder } or { postgres: { url } }, got null"],
  [
    { store: undefined },
    "Expected `store` to be { folder } or { postgres: { url } }, got undefined",
  ],
  [
    { store: { postgres: { url: "db.example.com" } } },
    'Expected `store.postgres.url` to begin with "postgres://", got string',
  ],
  [
    { store: { postgres: { url: "postgres://db", schema: 'a"b' } } },
    'Expected `store.postgres.schema` to be lower-case letters, digits and underscores, got "a\\"b"',
  ],
  [
    { trustedProxies: ["x"] },
    'Expected `trustedProxies` to be addresses and ranges, such as ["loopback", "10.0.0.0/8"], got ["x"]',
  ],
  [
    { trustedProxies: "loopback" },
    'Expected `trustedProxies` to be addresses and ranges, such as ["loopback", "10.0.0.0/8"], got "loopback"',
  ],
  [{ reportClientIp: "false" }, 'Expected `reportClientIp` to be true or false, got "false"'],
  [{ log: "info" }, 'Expected `log` to be a function, got "info"'],
  [{ release: 1 }, "Expected `release` to be a text, got 1"],
  [
    { destination: () => ({}) },
    "Expected `destination` to have `name`, `tables` and `open`, got function",
  ],
  [
    { sourceMaps: { folder: "maps" } },
    'Expected `sourceMaps` to be { folder, build } or a function, got ["folder"]',
  ],
  [
    { proxy: { url: "proxy" } },
    'Expected `proxy` to be like { url: "http://proxy.example.com:3128" }, got ["url"]',
  ],
])("options %j can't be used", (options, message) => {
  const all = { store: { folder: temporaryFolder() }, log: silent, ...options } as RelayOptions;
  expect(() => createRelay(all)).toThrow(new TypeError(message));
});

test("a database's schema has its default also where it is named and not set", () => {
  const postgres = { url: "postgres://db.example.com/app", schema: undefined };
  const { store } = checkOptions({ store: { postgres } });
  expect(store).toEqual({ postgres: { url: postgres.url, schema: "signpost" } });
});
