import http from "node:http";
import { connect } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { respond } from "@/packages/relay/src/http/answers";
import { readBody } from "@/packages/relay/src/http/body";
import { BodyMemory } from "@/packages/relay/src/http/body-memory";
import { listen } from "@/tests/support/listening";

const mebibyte = 1024 * 1024;

/** Bytes outside of JavaScript's heap that somebody still refers to. */
function bytesReferredTo(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().arrayBuffers;
}

/** Reads the body of one request, whose client writes these chunks. */
async function readChunks(chunks: readonly Buffer[], maxBytes = 2 * mebibyte) {
  const reservation = new BodyMemory(mebibyte).reserve("one");
  const read: ReturnType<typeof readBody>[] = [];
  const { port } = await listen((request) => {
    read.push(readBody(request, { maxBytes, reservation }));
  });
  const request = http.request({ port, method: "POST", agent: false });
  request.on("error", () => {});
  for (const chunk of chunks) request.write(chunk);
  request.end();
  await expect.poll(() => read).toHaveLength(1);
  const body = await read[0];
  request.destroy();
  return { body, reserved: reservation.bytes };
}

test("a body in chunks of one byte is given up, long before its chunks fill the memory", async () => {
  const { body, reserved } = await readChunks(Array(20_000).fill(Buffer.from("x")));
  expect(body).toBe("fragmented");
  expect(reserved).toBeLessThan(64 * 1024);
});

test("what is reserved is what the body takes, and no more than twice its bytes, however it comes", async () => {
  const chunks = Array.from({ length: 1500 }, (_, n) => Buffer.alloc(500, n));
  const { body, reserved } = await readChunks(chunks);
  expect(Buffer.concat(chunks).equals(body as Uint8Array)).toBe(true);
  expect(reserved).toBeGreaterThanOrEqual((body as Uint8Array).buffer.byteLength);
  expect(reserved).toBeLessThan(2 * 750_000 + 64 * 1024);
});

test("a request takes memory before its body comes, by the lines of its head", async () => {
  const headers = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`h${n}`, "x"]));
  const memory = new BodyMemory(mebibyte);
  const reservation = memory.reserve("one");
  const { port } = await listen(
    (request) => void readBody(request, { maxBytes: 100, reservation }),
  );
  const request = http.request({ port, method: "POST", agent: false, headers });
  request.on("error", () => {});
  request.flushHeaders();
  await expect.poll(() => reservation.bytes).toBeGreaterThan(100_000);
  request.destroy();
});

test("what was read of a refused body is let go of, though its request lives on", async () => {
  const memory = new BodyMemory(mebibyte);
  const refused: http.IncomingMessage[] = [];
  const { port } = await listen(async (request) => {
    const reservation = memory.reserve("one");
    await readBody(request, { maxBytes: 2 * mebibyte, reservation });
    reservation.release();
    refused.push(request);
  });
  const body = Buffer.alloc(2 * mebibyte + 1);
  const before = bytesReferredTo();
  for (let i = 0; i < 30; i += 1) {
    const request = http.request({ port, method: "POST", agent: false });
    request.on("error", () => {});
    request.end(body);
    await expect.poll(() => refused.length).toBe(i + 1);
  }
  // A busy machine closes the last connections a little later.
  await expect.poll(() => bytesReferredTo() - before).toBeLessThan(20 * mebibyte);
});

test("the rest of a small body that was given up is not kept after the answer", async () => {
  const reservation = new BodyMemory(mebibyte).reserve("one");
  const answered: http.IncomingMessage[] = [];
  const { port } = await listen(async (request, response) => {
    expect(await readBody(request, { maxBytes: 100, reservation })).toBe("too_large");
    await respond(request, response, { status: 413, body: "" });
    answered.push(request);
  });
  const client = connect(port, "127.0.0.1");
  onTestFinished(() => void client.destroy());
  client.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n");
  client.write(Buffer.alloc(1000));
  await expect.poll(() => answered).toHaveLength(1);
  client.write(Buffer.alloc(1000));
  await expect.poll(() => answered[0]?.readableEnded).toBe(true);
});
