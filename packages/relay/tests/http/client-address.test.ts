import http, { type IncomingMessage } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Client } from "@/packages/relay/src/http/client";
import { clientReader } from "@/packages/relay/src/http/client-address";
import { tellUntrustedProxy } from "@/packages/relay/src/http/untrusted-proxy";
import { temporaryFolder } from "@/tests/support/folders";

/** Asks by way of a Unix socket, as a proxy on the same machine does. */
async function throughUnixSocket(
  headers: Record<string, string>,
  see: (r: IncomingMessage) => void,
) {
  const socketPath = join(temporaryFolder(), "app.sock");
  const server = http.createServer((request, response) => {
    see(request);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  onTestFinished(() => void server.close());
  await new Promise((resolve, reject) => {
    const request = http.get({ socketPath, headers, agent: false }, (response) =>
      response.resume().on("end", resolve),
    );
    request.on("error", reject);
  });
}

test.each<[string, string[], string | undefined, Client]>([
  ["a trusted proxy's visitor", ["loopback"], "203.0.113.7", client("203.0.113.7", true)],
  [
    "of several, the first that is not trusted",
    ["loopback", "10.0.0.1"],
    "203.0.113.9, 203.0.113.7, 10.0.0.1",
    client("203.0.113.7", true),
  ],
  ["a trusted proxy that names nobody", ["loopback"], undefined, client("127.0.0.1", true)],
  ["a proxy that is not trusted", ["10.0.0.0/8"], "203.0.113.7", client("127.0.0.1", false)],
])(
  "the other end of a Unix socket is on this machine: %s",
  async (_name, trusted, forwarded, expected) => {
    const clients: Client[] = [];
    await throughUnixSocket(forwarded ? { "X-Forwarded-For": forwarded } : {}, (request) =>
      clients.push(clientReader(trusted)(request)),
    );
    expect(clients).toEqual([expected]);
  },
);

test("a proxy behind a Unix socket is told of, with the value of the variable", async () => {
  const write = vi.fn();
  const tell = tellUntrustedProxy([], write);
  await throughUnixSocket({ "X-Forwarded-For": "203.0.113.7" }, tell);
  const advice = expect.stringMatching(/: set TRUSTED_PROXIES=loopback, or /);
  expect(write.mock.calls).toEqual([["warn", "proxy not trusted", { from: "loopback", advice }]]);
});

function client(address: string, behindTrustedProxy: boolean): Client {
  return { address, behindTrustedProxy };
}
