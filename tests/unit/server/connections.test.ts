import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { closeFragmented, closeUnread, keepIdle } from "@/lib/server/connections";
import { countInFlight, onEachRequest } from "@/packages/sentry/src/server/request-steps";
import { serving } from "@/packages/sentry/src/server/serving";
import { listen } from "@/tests/support/listening";

onEachRequest(() => [countInFlight, closeFragmented]);
closeUnread(100);
keepIdle(65_000);

const large = Buffer.alloc(16 * 1024 * 1024);

/** Answers `/large` at once with a large body, and anything else when the test does. */
async function startServer() {
  const held: ServerResponse[] = [];
  let count = 0;
  const { port } = await listen(({ url }, response) => {
    count++;
    if (url === "/large") response.end(large);
    else held.push(response);
  });
  const send = (path: string, times = 1) => {
    const client = connect(port, "127.0.0.1");
    onTestFinished(() => void client.destroy());
    client.on("error", () => {});
    client.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(times));
    return client;
  };
  return { held, send, asked: () => count };
}

test("a client that reads nothing is cut off, and one that waits for its answer is not", async () => {
  const { held, send, asked } = await startServer();
  const patient = send("/slow");
  let heard = "";
  patient.on("data", (bytes) => {
    heard += bytes;
  });
  await expect.poll(() => held.length).toBe(1);
  // Its first answers are written to a socket that nobody reads, the others wait for their turn.
  send("/large", 20).pause();
  await expect.poll(() => asked()).toBe(21);
  await expect.poll(() => serving().requestsInFlight).toBe(1);
  held[0]?.end("answered");
  await expect.poll(() => heard).toContain("answered");
});

test("a stream of events may rest for longer than its connection may be idle", async () => {
  const { held, send, asked } = await startServer();
  const client = send("/events");
  let heard = "";
  client.on("data", (bytes) => {
    heard += bytes;
  });
  await expect.poll(() => held.length).toBe(1);
  held[0]?.write("one event");
  await expect.poll(() => heard).toContain("one event");
  send("/large", 2).pause();
  await expect.poll(() => asked()).toBe(3);
  await expect.poll(() => serving().requestsInFlight).toBe(1);
  held[0]?.end("another event");
  await expect.poll(() => heard).toContain("another event");
});

test("a connection is kept after its answer, for longer than it may go without moving", async () => {
  const { held, send } = await startServer();
  const client = send("/");
  let heard = "";
  let closed = false;
  client.on("data", (bytes) => {
    heard += bytes;
  });
  client.on("close", () => {
    closed = true;
  });
  await expect.poll(() => held.length).toBe(1);
  held[0]?.end("answered");
  await expect.poll(() => heard).toContain("answered");
  expect(heard).toContain("Keep-Alive: timeout=65");
  // Another one that reads nothing is closed meanwhile: so much time has passed.
  send("/large", 2).pause();
  await expect.poll(() => serving().requestsInFlight).toBe(2);
  await expect.poll(() => serving().requestsInFlight).toBe(0);
  expect(closed).toBe(false);
});

test("a connection whose body comes in chunks of one byte is closed, though nobody reads it", async () => {
  const unread: IncomingMessage[] = [];
  const { port } = await listen((request) => {
    unread.push(request);
  });
  const post = (body: string) => {
    const client = connect(port, "127.0.0.1");
    onTestFinished(() => void client.destroy());
    client.on("error", () => {});
    client.write(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body}`);
  };
  post("1\r\nx\r\n".repeat(30_000));
  await expect.poll(() => unread[0]?.destroyed).toBe(true);
  expect(unread[0]?.readableLength).toBeLessThan(200);
  // What a client writes a line at a time is taken, and so is a large body.
  post(`${"a\r\n0123456789\r\n".repeat(90)}${`400\r\n${"x".repeat(1024)}\r\n`.repeat(40)}`);
  await expect.poll(() => unread[1]?.readableLength).toBe(900 + 40 * 1024);
  expect(unread[1]?.destroyed).toBe(false);
});

test("it is closed also where the chunks come after the answer, and a large body is let pass", async () => {
  const { port } = await listen((_request, response) => response.end("answered"));
  const post = (body: string) => {
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
    client.write(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body}`);
    return { client, heard };
  };
  const fragmented = post("");
  await expect.poll(() => fragmented.heard.text).toContain("answered");
  fragmented.client.write("1\r\nx\r\n".repeat(1_000));
  await expect.poll(() => fragmented.heard.closed).toBe(true);

  const large = post(`${`400\r\n${"x".repeat(1024)}\r\n`.repeat(2_000)}0\r\n\r\n`);
  await expect.poll(() => large.heard.text).toContain("answered");
  large.client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await expect.poll(() => large.heard.text.match(/answered/g)?.length).toBe(2);
});
