import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  limitConnections,
  maxHeaders,
  refusePipelined,
  shedLoad,
} from "@/lib/server/load-shedding";
import { relay } from "@/packages/sentry/src/server/relay";
import { countInFlight, onEachRequest } from "@/packages/sentry/src/server/request-steps";
import { serving } from "@/packages/sentry/src/server/serving";
import { listen } from "@/tests/support/listening";

vi.stubEnv("TRUSTED_PROXIES", "loopback");
onEachRequest(() => [countInFlight, refusePipelined, shedLoad(1_600)]);

/** A server that answers nothing until it is told to, and then everything. */
async function startServer() {
  const held: ServerResponse[] = [];
  let answers = false;
  const { port } = await listen((_request, response) => {
    if (answers) response.end("answered");
    else held.push(response);
  });
  /** Sends requests over one connection, without waiting for answers. */
  const pipeline = (count: number, address = "127.0.0.1") => {
    const client = connect(port, "127.0.0.1");
    onTestFinished(() => void client.destroy());
    const heard = { text: "", closed: false };
    client.on("data", (bytes) => {
      heard.text += bytes;
    });
    client.on("error", () => {});
    client.on("close", () => {
      heard.closed = true;
    });
    client.write(`GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\n\r\n`.repeat(count));
    return { client, heard };
  };
  const answerAll = () => {
    answers = true;
    for (const response of held.splice(0)) response.end("answered");
  };
  return { port, held, pipeline, answerAll };
}

test("a connection may be 32 requests ahead of its answers, and no more", async () => {
  const { held, pipeline, answerAll } = await startServer();
  const patient = pipeline(32);
  await expect.poll(() => held.length).toBe(32);
  const greedy = pipeline(10_000);
  await expect.poll(() => greedy.heard.closed).toBe(true);
  expect(held.length).toBeLessThanOrEqual(64);
  const told = { too_many_pipelined: expect.any(Number) };
  expect(Object.fromEntries(relay().refusals.counts.get("requests") ?? [])).toMatchObject(told);
  answerAll();
  await expect.poll(() => patient.heard.text.match(/answered/g)?.length).toBe(32);
});

test("a client that leaves before its turn is in flight no more", async () => {
  const { held, pipeline } = await startServer();
  const before = serving().requestsInFlight;
  const { client } = pipeline(20);
  await expect.poll(() => held.length).toBe(20);
  expect(serving().requestsInFlight).toBe(before + 20);
  client.destroy();
  await expect.poll(() => serving().requestsInFlight).toBe(before);
});

test("an address may have 400 requests in flight, and is told to come later beyond that; health is told", async () => {
  const { port, held, pipeline, answerAll } = await startServer();
  for (let n = 0; n < 20; n++) pipeline(20);
  await expect.poll(() => held.length).toBe(400);
  const refused = await fetch(`http://127.0.0.1:${port}/`);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "10"]);
  expect(await refused.json()).toMatchObject({ error: "unavailable" });
  expect(relay().refusals.counts.get("requests")?.get("too_many_in_flight")).toBe(1);
  const health = fetch(`http://127.0.0.1:${port}/api/health/live`);
  await expect.poll(() => held.length).toBe(401);
  answerAll();
  expect((await health).status).toBe(200);
  await expect.poll(() => serving().requestsInFlight).toBe(0);
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
});

test("answers that have begun and go on are no load: pages are served beside 800 of them", async () => {
  const { port, held, pipeline } = await startServer();
  const streams = Array.from({ length: 800 }, (_, n) => pipeline(1, `10.0.${n % 4}.1`));
  await expect.poll(() => held.length).toBe(800);
  const address = `http://127.0.0.1:${port}/`;
  expect((await fetch(address)).status).toBe(503);
  for (const response of held) response.write("data: first\n\n");
  await expect.poll(() => streams.every(({ heard }) => heard.text.includes("first"))).toBe(true);
  const page = fetch(address);
  await expect.poll(() => held.length).toBe(801);
  held[800]?.end("a page");
  expect(await (await page).text()).toBe("a page");
  held[0]?.write("data: second\n\n");
  await expect.poll(() => streams[0]?.heard.text).toContain("second");
});

test("streams are bounded, and half of them are one address's: then they count as any request", async () => {
  const { port, held, pipeline } = await startServer();
  for (const count of [400, 800, 1_200]) {
    for (let n = 0; n < 400; n++) pipeline(1);
    await expect.poll(() => held.length).toBe(count);
    for (const response of held) response.write("data: first\n\n");
  }
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(503);
  pipeline(1, "10.0.0.1");
  await expect.poll(() => held.length).toBe(1_201);
});

test("the networks of one IPv6 subscriber have 400 requests in flight together", async () => {
  const { port, held, pipeline } = await startServer();
  for (let n = 0; n < 20; n++) pipeline(20, `2001:db8:1:${n}::1`);
  await expect.poll(() => held.length).toBe(400);
  const refused = await fetch(`http://127.0.0.1:${port}/`, {
    headers: { "X-Forwarded-For": "2001:db8:1:ffff::1" },
  });
  expect(refused.status).toBe(503);
  pipeline(1, "2001:db8:2::1");
  await expect.poll(() => held.length).toBe(401);
});

test("of the health checks, those that may wait are bounded, and only those that exist are apart", async () => {
  const { port, held, pipeline } = await startServer();
  const ask = (path: string) => {
    const client = connect(port, "127.0.0.1");
    onTestFinished(() => void client.destroy());
    client.on("error", () => {});
    client.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  };
  const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  for (let n = 0; n < 20; n++) pipeline(20);
  await expect.poll(() => held.length).toBe(400);
  expect(await statusOf("/api/health/other")).toBe(503);
  for (let n = 0; n < 32; n++) ask("/api/health/ready?reporting");
  await expect.poll(() => held.length).toBe(432);
  expect(await statusOf("/api/health/ready?reporting")).toBe(503);
  ask("/api/health/live");
  ask("/api/health/ready");
  await expect.poll(() => held.length).toBe(434);
});

test("health checks that wait behind an answer which nobody reads count as any request", async () => {
  const { port, held, pipeline } = await startServer();
  for (let n = 0; n < 19; n++) pipeline(20);
  const { client } = pipeline(17);
  await expect.poll(() => held.length).toBe(397);
  const checks = ["live", "ready", "live"].map(
    (name) => `GET /api/health/${name} HTTP/1.1\r\nHost: a\r\n\r\n`,
  );
  client.write(checks.join(""));
  await expect.poll(() => held.length).toBe(400);
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(503);
});

describe("connections", () => {
  // All tests before open more.
  beforeAll(() => limitConnections(200));

  test("a head of more than two hundred lines is refused or read no further, and all of one that has fewer is read", async () => {
    const read: Record<string, unknown>[] = [];
    const { port } = await listen(({ headers }, response) => {
      read.push(headers);
      response.end();
    });
    const ask = (lines: number) => {
      const client = connect(port, "127.0.0.1");
      onTestFinished(() => void client.destroy());
      const heard = { text: "" };
      client.on("data", (bytes) => {
        heard.text += bytes;
      });
      const rest = Array.from({ length: lines - 1 }, (_, n) => `h${n}: x\r\n`).join("");
      client.write(`GET / HTTP/1.1\r\nHost: a\r\n${rest}\r\n`);
      return heard;
    };
    const most = ask(maxHeaders);
    await expect.poll(() => most.text).toMatch(/^HTTP\/1.1 200 /);
    expect(read[0]).toHaveProperty(`h${maxHeaders - 2}`, "x");
    for (const lines of [maxHeaders + 1, 900]) {
      const tooMany = ask(lines);
      await expect.poll(() => tooMany.text).toMatch(/^HTTP\/1.1 (431|200) /);
    }
    // By Node's version.
    expect(Math.max(...read.map((head) => Object.keys(head).length))).toBe(maxHeaders);
  });

  test("one address has half of all connections, and another finds room beside it", async () => {
    const { port } = await listen((_request, response) => response.end("answered"));
    const open = (localAddress?: string) => {
      const client = connect({ port, host: "127.0.0.1", localAddress });
      onTestFinished(() => void client.destroy());
      const state = { closed: false, text: "" };
      client.on("data", (bytes) => {
        state.text += bytes;
      });
      client.on("error", () => {});
      client.on("close", () => {
        state.closed = true;
      });
      return { client, state };
    };
    const idle = Array.from({ length: 150 }, () => open());
    const closed = () => idle.filter(({ state }) => state.closed).length;
    await expect.poll(closed).toBeGreaterThanOrEqual(50);
    // Each that is closed makes room for another.
    const before = closed();
    for (const { client, state } of idle.filter((one) => !one.state.closed).slice(0, 20)) {
      client.destroy();
      await expect.poll(() => state.closed).toBe(true);
    }
    expect(before).toBeLessThan(60);
    const late = open();
    late.client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await expect.poll(() => late.state.text).toContain("answered");
  });

  test("addresses that have taken all of them together keep nobody else out", async () => {
    const { port } = await listen((_request, response) => response.end("answered"));
    const open = (localAddress: string) => {
      const client = connect({ port, host: "127.0.0.1", localAddress });
      onTestFinished(() => void client.destroy());
      client.on("error", () => {});
      return client;
    };
    for (const address of ["127.0.0.2", "127.0.0.3"]) {
      const all = Array.from({ length: 100 }, () => open(address));
      await Promise.all(all.map((client) => once(client, "connect")));
    }
    const others = Array.from({ length: 5 }, () => open("127.0.0.4"));
    for (const client of others) client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    const answers = await Promise.all(others.map((client) => once(client, "data")));
    expect(answers.map(String)).toEqual(Array(5).fill(expect.stringContaining("answered")));
  });
});
