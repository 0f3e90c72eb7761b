import http from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { BodyMemory } from "@/lib/sentry/src/relay/http/body-memory";
import { readBody } from "@/lib/sentry/src/relay/http/read-body";
import { listen } from "@/tests/support/listening";

const mebibyte = 1024 * 1024;

/** Bytes outside of JavaScript's heap that somebody still refers to. */
function bytesReferredTo(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().arrayBuffers;
}

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
