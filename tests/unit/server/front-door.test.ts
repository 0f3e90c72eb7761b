import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { openFrontDoor } from "@/lib/server/front-door";

async function startServer(): Promise<(path: string) => Promise<string>> {
  const server = http.createServer((_request, response) => response.end("by the app"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return async (path) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST" })).text();
}

it("takes the tunnel's requests, from the first on and on any server, and leaves the rest", async () => {
  openFrontDoor("/shell/api/relay", async (_request, response) => {
    response.end("by the relay");
  });
  for (const post of [await startServer(), await startServer()]) {
    expect(await post("/shell/api/relay")).toBe("by the relay");
    expect(await post("/shell/api/relay?x=1")).toBe("by the relay");
    for (const path of ["/", "/api/relay", "/shell/api/relays", "/shell/api/relay/x", "/shell"]) {
      expect(await post(path)).toBe("by the app");
    }
  }
});

it("takes them where the app had the first request", async () => {
  openFrontDoor("/other/relay", async (_request, response) => {
    response.end("by the relay");
  });
  const post = await startServer();
  expect(await post("/")).toBe("by the app");
  expect(await post("/other/relay")).toBe("by the relay");
});
