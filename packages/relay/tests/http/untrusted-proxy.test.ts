import type { IncomingMessage } from "node:http";
import { expect, test, vi } from "vitest";
import { tellUntrustedProxy } from "@/packages/relay/src/http/untrusted-proxy";
import { listen } from "@/tests/support/listening";

/** Sends requests to a real server that asks it. @returns what was told */
async function told(trusted: string[], headers: Record<string, string>, times = 3) {
  const write = vi.fn();
  const tell = tellUntrustedProxy(trusted, write);
  const { origin } = await listen((request, response) => {
    tell(request);
    response.end();
  });
  for (let n = 0; n < times; n++) await fetch(origin, { headers });
  return write.mock.calls;
}

const forwarded = { "X-Forwarded-For": "203.0.113.7" };

test("a proxy that is not trusted is told of once, with the variable and its value", async () => {
  const advice = expect.stringMatching(/: set TRUSTED_PROXIES=loopback, or /);
  const line = ["warn", "proxy not trusted", { from: "loopback", advice }];
  expect(await told([], forwarded)).toEqual([line]);
  expect(await told(["10.0.0.0/8"], forwarded)).toEqual([line]);
});

test("nothing is told of a proxy that is trusted, and of requests without one", async () => {
  expect(await told(["loopback"], forwarded)).toEqual([]);
  expect(await told([], {})).toEqual([]);
});

test("each kind of network is told of once, however many addresses it has, and none by its address", () => {
  const write = vi.fn();
  const tell = tellUntrustedProxy([], write);
  const from = (remoteAddress: string) =>
    tell({ headers: forwardedFor, socket: { remoteAddress } } as never);
  const forwardedFor = { "x-forwarded-for": "203.0.113.7" } satisfies IncomingMessage["headers"];
  for (let n = 0; n < 200; n++) for (const net of ["10.0.0.", "198.51.100."]) from(net + n);
  expect(write.mock.calls.map(([, , { from }]) => from)).toEqual([
    "uniquelocal",
    "another network",
  ]);
  expect(JSON.stringify(write.mock.calls)).not.toMatch(/\d+\.\d+\.\d+/);
});
